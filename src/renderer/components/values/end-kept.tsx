import classes from './end-kept.module.css';

/** A text of so many characters fits, or nearly. */
const SHORT = 16;
/** The last word is kept where it is no longer than this. */
const MOST_END = 10;
const END = 6;

/** Where the end of a text begins that tells it apart from its neighbours: its last word, such as a number, or its last characters. */
export function endOf(text: string): number {
  const characters = [...text];
  if (characters.length <= SHORT) return text.length;
  const word = /\s\S+\s*$/u.exec(text);
  if (word !== null && [...word[0]].length <= MOST_END) return word.index;
  return characters.slice(0, -END).join('').length;
}

/** One line that is cut in its middle where it is too long: names of a collection differ at their end. */
export function EndKept({ text }: { text: string }) {
  const at = endOf(text);
  if (at === text.length) return text;
  return (
    <span className={classes.line} dir="auto">
      <span className={classes.start}>{text.slice(0, at)}</span>
      <span className={classes.end}>{text.slice(at)}</span>
    </span>
  );
}
