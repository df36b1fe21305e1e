import { describe, expect, it } from 'vitest';
import { importFiles, png, sessionOf } from '../test-support/import-files.ts';
import { problemsOf } from './validate.ts';

const COUNT = 298;
/** A permutation of the numbers below {@link COUNT}: the rows are not in the order of the files. */
const shuffled = (n: number): number => (n * 101 + 57) % COUNT;
const motif = (n: number): string => `Tür ${String(n).padStart(3, '0')}`;

/** As a German Excel saves "CSV UTF-8": semicolons, a byte order mark, umlauts, CRLF. */
function germanTable(header: string, cell: (n: number) => string): string {
  const lines = Array.from({ length: COUNT }, (_, n) => {
    const own = shuffled(n);
    return `${n + 1};Haustür aus Köln ${own};"Eine Tür; Nummer ${own}";${cell(own)};${own % 7 === 0 ? 'Grün' : 'Weiß'}`;
  });
  return `\ufeff${header}\r\n${lines.join('\r\n')}\r\n`;
}

/** Pictures in a folder whose names are written as macOS writes them, with accents apart. */
function doors(extension = 'png'): Record<string, Uint8Array> {
  const numbers = Array.from({ length: COUNT }, (_, n) => n);
  return Object.fromEntries(numbers.map((n) => [`Türen/${motif(n)}.${extension}`.normalize('NFD'), png(motif(n))]));
}

const wrongPictures = ({ rows }: Awaited<ReturnType<typeof importFiles>>): number =>
  rows.filter(({ file }, n) => file?.path.normalize('NFC') !== `Türen/${motif(shuffled(n))}.png`).length;

describe('tables whose columns are not called in English', () => {
  it.each<[string, (n: number) => string]>([
    ['Bilddatei', (n) => `${motif(n)}.png`],
    ['Motiv', (n) => `${motif(n)}.png`],
    ['Kunstwerk', (n) => `${motif(n).toUpperCase()}.PNG`],
    ['Vorlage', (n) => motif(n)],
    ['Ablage', (n) => `C:\\Bilder\\Türen\\${motif(n)}.png`],
    ['Scan', (n) => `Türen/${motif(n)}.tif`],
    ['Rang', (n) => `${motif(n)}.png`],
  ])('a German Excel table of 298 rows finds every picture by its column "%s"', async (column, cell) => {
    const table = germanTable(`Nr.;Bezeichnung;Beschreibung;${column};Farbe`, cell);
    const read = await importFiles({ ...doors(), 'Türen.csv': table });
    expect([read.rows.length, wrongPictures(read), read.match]).toEqual([COUNT, 0, 'field']);
    expect(read.fields.map(({ target }) => target)).toEqual(['number', 'name', 'description', 'file', 'trait']);
    expect(read.rows[1]).toMatchObject({ name: `Haustür aus Köln ${shuffled(1)}`, number: 2 });
    expect(read.rows.flatMap((row) => problemsOf(row))).toEqual([]);
  });

  it('a column that most rows fill with names of files is the file column, though some name files that are not there', async () => {
    const table = germanTable('Nr.;Titel;Beschreibung;Motiv;Farbe', (n) =>
      n < 100 ? `fehlt ${n}.png` : `${motif(n)}.png`,
    );
    const { rows, match } = await importFiles({ ...doors(), 'Türen.csv': table });
    expect(match).toBe('field');
    expect(rows.filter(({ file }) => file === undefined)).toHaveLength(100);
  });

  it('a column that is called like a file, and names none of these, yields to the one that does', async () => {
    const table = 'Bild;Titel;Scan\nnein;A;b.png\nnein;B;a.png\nnein;C;c.png\n';
    const { rows } = await importFiles({ 'a.png': png('a'), 'b.png': png('b'), 'c.png': png('c'), 't.csv': table });
    expect(rows.map(({ name, file }) => [name, file?.path])).toEqual([
      ['A', 'b.png'],
      ['B', 'a.png'],
      ['C', 'c.png'],
    ]);
  });

  it.each<[string, string, readonly string[]]>([
    ['a level', 'Level', ['1', '2', '3', '1', '2', '3']],
    ['a rank of its own', 'Stufe', ['6', '5', '4', '3', '2', '1']],
    ['a colour that pictures are called by', 'Farbe', ['rot', 'rot', 'blau', 'rot', 'blau', 'rot']],
    ['a version', 'Version', ['1.5', '2.5', '3.5', '4.5', '5.5', '6.5']],
  ])('%s stays a trait, though pictures have such names', async (_, column, values) => {
    const names = ['1', '2', '3', '4', '5', '6', 'rot', 'blau'];
    const files = Object.fromEntries(names.map((name) => [`${name}.png`, png(name)]));
    const lines = values.map((value, n) => `Ding ${'abcdef'[n]};${value}`);
    const { fields, rows } = await importFiles({ ...files, 't.csv': `Titel;${column}\n${lines.join('\n')}\n` });
    expect(fields.map(({ target }) => target)).toEqual(['name', 'trait']);
    expect(rows.filter(({ file }) => file !== undefined)).toEqual([]);
  });

  it('a column "Name" that holds file names is the file column, and the pictures name the tokens', async () => {
    const files = { 'rote-tür.png': png('r'), 'alte-tür.png': png('a') };
    const table = 'Name;Farbe\nrote-tür.png;rot\nalte-tür.png;braun\n';
    const { rows } = await importFiles({ ...files, 't.csv': table });
    expect(rows.map(({ name, file }) => [name, file?.path])).toEqual([
      ['Rote tür', 'rote-tür.png'],
      ['Alte tür', 'alte-tür.png'],
    ]);
  });

  it('two columns that a person gave one meaning both keep it: the first value that is not empty counts', async () => {
    const table = 'Datei;Titel;Untertitel\n1.png;;Unten\n2.png;Oben;Unten\n';
    const files = { '1.png': png('1'), '2.png': png('2'), 't.csv': table };
    const session = await sessionOf(files, {}, { Titel: 'name', Untertitel: 'name' });
    expect(session.derived().rows.map(({ name }) => name)).toEqual(['Unten', 'Oben']);
  });

  const all = ['file', 'name', 'description', 'number', 'rank', 'rarityLabel', 'collectionName', 'trait'];
  it.each([
    ['German', 'Dateiname;Titel;Beschreibung;Lfd. Nr.;Rang;Seltenheit;Sammlung;Augen'],
    ['French', 'Nom de fichier;Titre;Description;Numéro;Rang de rareté;Rareté;Collection;Yeux'],
    ['Spanish', 'Nombre de archivo;Nombre;Descripción;Número;Rango;Rareza;Colección;Ojos'],
    ['Portuguese', 'Nome do arquivo;Nome;Descrição;N.º;Posição;Raridade;Coleção;Olhos'],
    ['Italian', 'Nome file;Titolo;Descrizione;Numero;Rango di rarità;Rarità;Collezione;Occhi'],
    ['Japanese', 'ファイル名;名前;説明;番号;ランク;レア度;コレクション;目'],
    ['German, other words', 'Bilddateiname;Werktitel;Beschreibung;Nr.;Rang;Seltenheit;Kollektion;Augen'],
    ['French, other words', 'Nom de l’image;Nom du jeton;Description;N°;Rang;Rareté;Collection;Yeux'],
    ['Spanish, other words', 'Nombre de la imagen;Nombre del token;Descripción;N.º;Rango;Rareza;Colección;Ojos'],
    ['Portuguese, other words', 'Nome da imagem;Nome do token;Descrição;Número;Posição;Raridade;Colecção;Olhos'],
    ['Italian, other words', "Nome dell'immagine;Nome del token;Descrizione;N.;Rango;Rarità;Collezione;Occhi"],
    ['Japanese, other words', 'イメージ;作品名;概要;通し番号;順位;レアリティ;コレクション名;目'],
    ['English', 'File name;Title;Description;No.;Rank;Rarity;Collection;Eyes'],
  ])('the usual columns of a table in %s are understood, also without files to compare with', async (_, header) => {
    const { fields } = await importFiles({ 't.csv': `${header}\nx.png;A;B;1;1;Epic;C;open\n` });
    expect(fields.map(({ target }) => target)).toEqual(all);
  });

  it.each<[string, string, string | undefined]>([
    ['Tantiemen', '5 %', '0.05'],
    ['regalías', '2,5%', '0.025'],
    ['Lizenzgebühr (Basispunkte)', '750', '0.075'],
    ['Tantiemen', '5', undefined],
  ])('the royalty column "%s" with "%s" asks for the share %s', async (column, cell, share) => {
    const table = `Datei;Titel;${column}\n1.png;A;${cell}\n`;
    const session = await sessionOf({ '1.png': png('1'), 't.csv': table });
    expect(session.mapping().royaltyProposal.map(({ percentage }) => percentage)).toEqual(
      share === undefined ? [] : [share],
    );
  });
});

describe('a table that nothing ties to the files', () => {
  const files = {
    'b.png': png('b'),
    'a.png': png('a'),
    't.csv': 'Titel;Augen\nerstes;offen\nzweites;zu\n',
  };

  it('gives no row a picture before a person said that the orders agree', async () => {
    const { rows, match, findings } = await importFiles(files);
    expect(rows.map((row) => [row.file, problemsOf(row).map(({ code }) => code)])).toEqual([
      [undefined, ['no-file']],
      [undefined, ['no-file']],
    ]);
    expect([match, findings.map(({ code }) => code)]).toEqual(['none', ['pairing-open']]);
  });

  it('is paired in order once a person said so, and that is written beside it', async () => {
    const { rows, match, findings } = await importFiles(files, { pairByOrder: true });
    expect(rows.map(({ file }) => file?.path)).toEqual(['a.png', 'b.png']);
    expect([match, findings.map(({ code }) => code)]).toEqual(['order', ['matched-by-order']]);
  });

  it('asks for no order where there is no file to pair', async () => {
    const { findings } = await importFiles({ 't.csv': files['t.csv'] });
    expect(findings).toEqual([]);
  });
});
