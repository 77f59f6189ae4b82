/** Thrown where the proof ends; its message is the reason that the plan shows, and the answer is always 'rows'. */
export class Unsure extends Error {}
