/** Of processes of ours, as `bin/plinth` has them: without a signal by which any process of the same user opens a debugger's port. */
export const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--disable-sigusr1'] as const;
