import type { ImportTarget } from '../../../../contract/index.ts';

/**
 * Usual names of columns and keys in English, German, French, Spanish, Portuguese, Italian and Japanese. Where several columns of a table have one
 * meaning, the one whose name stands further in front here counts. Types of files are left out: such a column says "PNG", which is no content type.
 */
const words: Partial<Record<ImportTarget, readonly string[]>> = {
  name: [
    ...['name', 'title', 'token name'],
    ...['Titel', 'Werktitel', 'Bezeichnung', 'Tokenname'],
    ...['nom', 'titre', 'intitulé', 'nom du token', 'nom du jeton'],
    ...['nombre', 'título', 'nombre del token', 'nome', 'nome do token', 'titolo', 'nome del token'],
    ...['名前', '名称', 'タイトル', '題名', '作品名', 'トークン名'],
  ],
  description: [
    ...['description', 'desc', 'Beschreibung', 'Beschreibungstext'],
    ...['descripción', 'descrição', 'descrizione', '説明', '説明文', '概要'],
  ],
  file: [
    ...['file', 'file name', 'file path'],
    ...['Datei', 'Dateiname', 'Dateipfad', 'Name der Datei'],
    ...['Bilddatei', 'Bildname', 'Bilddateiname', 'Grafikdatei', 'Mediendatei'],
    ...['fichier', 'nom de fichier', 'nom du fichier', 'fichier image', "nom de l'image"],
    ...['archivo', 'nombre de archivo', 'nombre del archivo', 'fichero', 'archivo de imagen', 'nombre de la imagen'],
    ...['ficheiro', 'arquivo', 'nome do ficheiro', 'nome do arquivo', 'nome de arquivo', 'nome da imagem'],
    ...['nome file', 'nome del file', 'file immagine', 'nome immagine', "nome dell'immagine"],
    ...['ファイル', 'ファイル名', '画像ファイル', '画像ファイル名', '画像名', 'イメージ'],
    ...['image', 'image file', 'Bild', 'Grafik', 'Foto', 'imagen', 'imagem', 'immagine', 'photo', '画像', '写真'],
    ...['animation url', 'media', 'path', 'Pfad', 'chemin', 'ruta', 'caminho', 'percorso', 'パス'],
  ],
  number: [
    ...['mint number', 'edition', 'number', 'token id', 'id', 'no', '#'],
    ...['Nummer', 'Nr', 'laufende Nummer', 'lfd. Nr.', 'Tokennummer'],
    ...['numéro', 'n', 'n°', 'número', 'núm', 'numero', 'num'],
    ...['édition', 'edición', 'edição', 'edizione'],
    ...['番号', '通し番号', 'シリアル番号', 'ナンバー', 'エディション', 'エディション番号', 'トークンID'],
  ],
  rank: [
    ...['rank', 'rarity rank', 'Rang', 'Seltenheitsrang'],
    ...['rang de rareté', 'rango', 'rango de rareza', 'posição', 'rango di rarità', 'ランク', '順位'],
  ],
  rarityLabel: [
    ...['rarity', 'rarity label', 'Seltenheit', 'Seltenheitsstufe'],
    ...['rareté', 'rareza', 'raridade', 'rarità', 'レア度', 'レアリティ', '希少度'],
  ],
  collectionId: [
    ...['collection id', 'Sammlungs-ID', 'Kollektions-ID', 'id de collection', 'id de colección', 'id da coleção'],
    ...['id collezione', 'id della collezione', 'コレクションID'],
  ],
  collectionName: [
    ...['collection', 'collection name', 'Sammlung', 'Kollektion', 'Name der Sammlung', 'nom de la collection'],
    ...['colección', 'coleção', 'colecção', 'collezione', 'コレクション', 'コレクション名'],
  ],
  contentType: [
    ...['content type', 'mime type', 'Inhaltstyp', 'MIME-Typ', 'type de contenu', 'type mime', 'tipo de contenido'],
    ...['tipo mime', 'tipo de conteúdo', 'tipo di contenuto', 'コンテンツタイプ', 'MIMEタイプ'],
  ],
  creators: ['properties.creators'],
};

/** Columns whose name says that they hold basis points: hundredths of a per cent. */
const basisPoints = [
  ...['seller fee basis points', 'royalty basis points', 'Lizenzgebühr (Basispunkte)', 'Tantieme (Basispunkte)'],
  ...['Tantiemen (Basispunkte)', 'redevances (points de base)', 'regalías (puntos básicos)'],
  ...['royalties (pontos base)', 'royalty (punti base)', 'ロイヤリティ(ベーシスポイント)'],
];

/** Columns of royalties that may hold anything: understood where their values are written with a per cent sign. */
const royalties = [
  ...['royalty', 'royalties', 'Lizenzgebühr', 'Lizenzgebühren', 'Tantieme', 'Tantiemen', 'Urheberanteil'],
  ...['redevance', 'redevances', 'regalía', 'regalías', 'direitos autorais', 'diritti', 'ロイヤリティ', 'ロイヤルティ'],
];

/** What describes a file's history or a web page rather than the token. */
const leftOut = [
  ...['external url', 'external link', 'background color', 'youtube url', 'dna', 'date', 'compiler', 'symbol'],
  ...['image data', 'created at', 'url', 'Datum', 'fecha', '日付', '作成日'],
];

/** A header without case, accents, blanks and punctuation, in which spreadsheets and people differ. */
const plain = (header: string): string =>
  header
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}\s_.:()'’-]+/gu, '');

interface Meaning {
  readonly target: ImportTarget;
  /** Lower is preferred among columns of one meaning. */
  readonly place: number;
}

const meanings = new Map<string, Meaning>(
  Object.entries({ ...words, royaltyBasisPoints: basisPoints }).flatMap(([target, headers]) =>
    headers.map((header, place) => [plain(header), { target: target as ImportTarget, place }] as const),
  ),
);
const royaltyHeaders = new Set(royalties.map(plain));
const leftOutHeaders = new Set(leftOut.map(plain));

/** What a column of this name usually is, undefined where its name says nothing. */
export function meaningOf(header: string): Meaning | undefined {
  return meanings.get(plain(header));
}

/** Whether a column of this name speaks of royalties, without saying in which unit. */
export function isRoyaltyHeader(header: string): boolean {
  return royaltyHeaders.has(plain(header));
}

/** Whether a column of this name is left out where nobody chooses otherwise. */
export function isLeftOut(header: string): boolean {
  return leftOutHeaders.has(plain(header));
}
