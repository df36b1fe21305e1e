/** Characters that are invisible or change the order of the text around them: Unicode's default ignorables, controls and separators. */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}]/u;

/** Where such a character is a regular part of the text. */
const AT_HOME = [
  // emoji: flags of regions, how they are shown, skin, figures that are joined, keys
  /\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F}/v,
  /\p{Extended_Pictographic}[\uFE0E\uFE0F\p{Emoji_Modifier}]*(?:\u200D\p{Extended_Pictographic}[\uFE0E\uFE0F\p{Emoji_Modifier}]*)*/v,
  /[\p{Emoji}\p{S}][\uFE0E\uFE0F]/v,
  // variants of an ideograph
  /\p{Script=Han}[\uFE00-\uFE02\u{E0100}-\u{E01EF}]/v,
  // joiners and breaks after a letter of Arabic, Indic, Khmer, Thai or Mongolian scripts; scripts that need none are excluded
  /[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}\p{DI}]][\u034F\u180B-\u180F\u200B-\u200D]/v,
];
/** Direction marks, which are regular in right-to-left text. */
const DIRECTION = /[\u200E\u200F\u061C]/;
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

const FOUND = new RegExp(`${AT_HOME.map(({ source }) => source).join('|')}|(${HIDDEN.source})`, 'gv');

/**
 * Invisible characters of a text that its script does not need: with them it can look like another text or be read in another order.
 * @returns each once, as Unicode names it: U+202E
 */
export function hiddenMarks(text: string): string[] {
  const isRightToLeft = RIGHT_TO_LEFT.test(text);
  const found = [...text.matchAll(FOUND)].flatMap(([, mark]) => mark ?? []);
  const odd = found.filter((mark) => !(isRightToLeft && DIRECTION.test(mark)));
  const named = (mark: string) => `U+${(mark.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
  return [...new Set(odd.map(named))];
}
