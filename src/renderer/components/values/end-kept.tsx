import classes from './end-kept.module.css';

/** A text of this length usually fits. */
const SHORT = 16;
/** The last word is kept if it holds a number and is no longer than this. */
const MOST_END = 10;
const END = 6;

/** Start index of the distinguishing end of a text: its last word if that is a number, or the last characters of a long word. */
export function endOf(text: string): number {
  const characters = [...text];
  if (characters.length <= SHORT) return text.length;
  const word = /\s\S+\s*$/u.exec(text);
  if (word !== null && [...word[0]].length <= MOST_END) return /\d/.test(word[0]) ? word.index : text.length;
  return characters.slice(0, -END).join('').length;
}

/** One line that is truncated before its number if it is too long, since the names in a collection differ at the end. */
export function EndKept({ text }: { text: string }) {
  const at = endOf(text);
  if ([...text].length <= SHORT) return text;
  return (
    <span className={classes.line} dir="auto">
      <span className={classes.start}>{text.slice(0, at)}</span>
      <span className={classes.end}>{text.slice(at)}</span>
    </span>
  );
}
