/** Whether there is anything to read in an optional text. */
export const hasWords = (text: string | undefined): boolean => text !== undefined && text.trim() !== '';
