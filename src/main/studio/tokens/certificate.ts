import { pageTexts } from '../../../chain/bundle/index.ts';
import {
  contentTypeOf,
  essence,
  type Network,
  PlanchetError,
  previewKind,
  type TokenDetail,
} from '../../../contract/index.ts';
import type { Pictures } from '../../ports/pictures.ts';

/** More of a text than a page has room for. */
const MOST_TEXT_BYTES = 8_192;

interface CertificateSubject extends Pick<TokenDetail, 'token' | 'provenance' | 'claims'> {
  readonly content: Uint8Array;
  /** A picture of a film or a model; null if there is none. */
  readonly still: Uint8Array | null;
  readonly network: Network;
  /** The language of the reader, with a region if given; English where it is not supported. */
  readonly language: string;
  readonly pictures: Pick<Pictures, 'certificate'>;
}

/** The certificate of a token as PDF. @throws PlanchetError `conflict` where no block holds it yet */
export async function certificateOf(subject: CertificateSubject): Promise<Blob> {
  const { token, provenance, claims, content, still, network, pictures } = subject;
  const [mint] = provenance;
  const now = provenance.at(-1);
  if (mint === undefined || now === undefined || now.blockHash === null) {
    throw new PlanchetError('bundle.not-mined', { txid: token.outpoint.slice(0, 64) });
  }
  const { words, locale } = wordsFor(subject.language);
  const number = (value: number): string => new Intl.NumberFormat(locale).format(value);
  const percent = (part: number): string =>
    new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(part);
  const type = essence(token.content?.contentType ?? '');
  const date =
    mint.at === null ? '' : new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(mint.at);
  const royalties = claims.royalties.map(({ destination, percentage }) =>
    said(words.royalty, { percent: percent(percentage), receiver: destination }),
  );
  const facts: (readonly [string, string] | false)[] = [
    royalties.length > 0 && [words.royalties, [...royalties, words.unenforced].join(', ')],
    [words.inscribed, said(words.inscribedText, { date, height: number(mint.blockHeight ?? 0) })],
    [words.block, mint.blockHash ?? '–'],
    [words.inscribedIn, mint.outpoint],
    now.outpoint !== mint.outpoint && [words.nowAt, now.outpoint],
    now.address !== null && [words.owner, now.address],
    [words.content, `${type}, ${number(content.length)} B`],
    token.content !== null && [words.sha256, token.content.sha256],
  ];
  const line = [
    claims.number !== null &&
      (claims.quantity === null
        ? said(words.number, { number: number(claims.number) })
        : said(words.of, { number: number(claims.number), quantity: number(claims.quantity) })),
    claims.collection?.name ?? token.projectName,
    claims.artist !== null && said(words.by, { artist: claims.artist }),
    words.networks[network],
  ];
  const pdf = await pictures.certificate({
    heading: words.certificate,
    name: token.name || token.outpoint,
    line: line.filter(Boolean).join(' · '),
    traits: claims.traits.map(({ name, value, share }) => [name, value, share === null ? '' : percent(share)]),
    facts: facts.filter((fact) => fact !== false),
    note: words.certificateNote,
    code: now.outpoint,
    language: locale,
    art: ['video', 'model'].includes(previewKind(type)) ? still : artOf(type, content),
  });
  return new Blob([pdf as Uint8Array<ArrayBuffer>], { type: 'application/pdf' });
}

/** What stands as the picture: a picture's bytes, or the first words of a text. */
function artOf(type: string, content: Uint8Array): Uint8Array | string | null {
  const known = contentTypeOf(type);
  if (type === 'image/svg+xml' || known?.pixels !== undefined) return content;
  if (known?.preview !== 'text') return null;
  const text = new TextDecoder().decode(content.subarray(0, MOST_TEXT_BYTES));
  return text.trim() === '' ? null : text;
}

function wordsFor(language: string): { words: (typeof pageTexts)['en']; locale: string } {
  const known = language.slice(0, 2).toLowerCase();
  if (known !== 'de') return { words: pageTexts.en, locale: 'en' };
  return { words: pageTexts.de, locale: language.replaceAll('_', '-').match(/^[a-z]{2}-[a-z]{2}$/i)?.[0] ?? 'de' };
}

function said(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (all, key: string) => values[key] ?? all);
}
