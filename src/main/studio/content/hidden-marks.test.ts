import { expect, it } from 'vitest';
import { hiddenMarks } from './hidden-marks.ts';

it.each([
  ['an override', 'Moon\u202Egnp.exe', ['U+202E']],
  ['an isolate, also in Hebrew', '\u2067ירח\u2069', ['U+2067', 'U+2069']],
  ['spaces of no width', 'Mo\u200Bon\u200B', ['U+200B']],
  ['joiners in Latin letters', 'Mo\u200Don \u200CSky', ['U+200D', 'U+200C']],
  ['a joiner after an accent of its own', 'Cafe\u0301\u200D', ['U+200D']],
  ['controls and line breaks', 'Moon\u0007\nSky\u0085\u2028', ['U+0007', 'U+000A', 'U+0085', 'U+2028']],
  ['a soft hyphen, a word joiner and a byte order mark', 'Mo\u00ADo\u2060n\uFEFF', ['U+00AD', 'U+2060', 'U+FEFF']],
  ['tags without a flag', 'Moon\u{E0041}\u{E007F}', ['U+E0041', 'U+E007F']],
  ['a mark of direction where nothing is read from the right', 'Moon\u200F', ['U+200F']],
  ['fillers and variants of letters', 'Moon\u3164\uFE0F', ['U+3164', 'U+FE0F']],
])('hiddenMarks finds %s', (_, text, marks) => expect(hiddenMarks(text)).toEqual(marks));

it.each([
  ['Arabic', 'قمر أزرق 3'],
  ['Persian with its joiner', 'می\u200Cخواهم'],
  ['Hebrew with points, and marks of direction beside Latin', 'שָׁלוֹם Moon\u200E!\u200F'],
  ['Devanagari, Malayalam, Sinhala', 'क्\u200Dष नमस्ते ന്\u200D ශ්\u200Dරී'],
  ['Thai and Khmer with breaks', 'ดวง\u200Bจันทร์ ព្រះ\u200Bច័ន្ទ'],
  ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ\u180Eᠠ ᠰᠠ\u180Bᠷ'],
  ['Japanese with a variant, Chinese, Korean', '葛\u{E0100}城 月亮 달'],
  ['Latin with accents', 'Café Cafe\u0301 Łódź'],
  ['a family', '👨‍👩‍👧‍👦'],
  ['a profession with a skin', '👩🏽‍🚀'],
  ['a rainbow flag', '🏳️‍🌈'],
  ['the flag of Scotland', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['keys, hearts and signs', '3️⃣ ❤️ ❤︎ ™️ ©'],
  ['an empty text', ''],
])('hiddenMarks finds nothing in %s', (_, text) => expect(hiddenMarks(text)).toEqual([]));
