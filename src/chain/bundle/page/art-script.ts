/** Shows what others inscribed: pictures run no script, text stays text, documents stand in a frame without any rights. */
export const ART_SCRIPT = String.raw`
const MOST_TEXT = 20000;
const essence = ({ contentType }) => contentType.split(';')[0].trim().toLowerCase();
const kindOf = (token) => {
  const type = essence(token);
  const [family] = type.split('/');
  if (['image', 'audio', 'video'].includes(family)) return family;
  if (type === 'model/gltf-binary') return 'model';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (family === 'text' || type === 'application/json' || type.endsWith('+json')) return 'text';
  return 'file';
};

const ENDINGS = { jpeg: 'jpg', 'svg+xml': 'svg', plain: 'txt', mpeg: 'mp3', quicktime: 'mov', 'gltf-binary': 'glb', 'xhtml+xml': 'html', markdown: 'md' };
/** How the name of a file of this type ends. Its maker chose both, so one that is not known gets an ending that nothing opens. */
const endingOf = (token) => {
  const [family, form = ''] = essence(token).split('/');
  const ending = ENDINGS[form] || form.replace(/^x-/, '');
  const known = 'png jpg gif webp avif bmp svg mp3 wav ogg flac aac mp4 webm mov glb txt md csv css html json pdf zip'.split(' ');
  return ['image', 'audio', 'video', 'model', 'text', 'application'].includes(family) && known.includes(ending) ? '.' + ending : '.bin';
};
/** A link that saves bytes. Without their own type no browser opens them in the place of this page. */
function saveLink(token, bytes) {
  const link = make('a', 'button', T.save);
  const name = (token.metadata.name || 'token').slice(0, 100).replace(/[^\w. -]/g, '_');
  const ending = endingOf(token);
  link.download = name.toLowerCase().endsWith(ending) ? name : name + ending;
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  return link;
}

/** A small picture of few pixels is drawn with sharp edges. */
function picture(token, name, side) {
  const image = make('img');
  image.alt = name;
  if (side !== 'large') image.loading = 'lazy';
  image.onload = () => {
    if (Math.max(image.naturalWidth, image.naturalHeight) <= 128 && essence(token) !== 'image/svg+xml') image.className = 'pixels';
  };
  image.onerror = () => image.replaceWith(placeholder('file', say(T.broken, { type: short(essence(token), 60), size: size(token.bytes) })));
  image.src = token.src(side);
  return image;
}

const placeholder = (name, text) => make('div', 'placeholder', icon(name), make('p', '', text));

function frame(token, name) {
  const made = make('iframe');
  made.setAttribute('sandbox', '');
  made.title = name;
  made.srcdoc = token.words();
  return made;
}

/** The work, large: with players for sound and film, and with what is not shown of it. */
function showLarge(token, name) {
  const kind = kindOf(token);
  if (kind === 'image') return picture(token, say(T.art, { name }), 'large');
  if (kind === 'audio' || kind === 'video') {
    const player = make(kind);
    player.controls = true;
    player.setAttribute('aria-label', say(T.art, { name }));
    player.onerror = () => player.replaceWith(placeholder('file', say(T.broken, { type: short(essence(token), 60), size: size(token.bytes) })));
    player.src = token.src('large');
    return kind === 'audio' ? make('div', 'sound', icon('audio'), player) : player;
  }
  if (kind === 'html') return frame(token, say(T.art, { name }));
  if (kind === 'text') {
    const words = token.words();
    const made = make('pre', words.length > 400 ? '' : 'brief', words.slice(0, MOST_TEXT) + (words.length > MOST_TEXT ? '\n' + T.cut : ''));
    made.tabIndex = 0;
    made.setAttribute('aria-label', say(T.art, { name }));
    made.setAttribute('role', 'region');
    return made;
  }
  return kind === 'model' ? modelView(token, name) : placeholder('file', say(T.noPlayer, { what: say(T.file, { type: short(essence(token), 60) }), size: size(token.bytes) }));
}

/** The work in a tile, for the eye alone: its link says its name. */
function showSmall(token) {
  const kind = kindOf(token);
  if (kind === 'image') return picture(token, '', 'small');
  if (kind === 'video') {
    const still = make('video');
    still.muted = true;
    still.preload = 'metadata';
    still.src = token.src('small');
    return still;
  }
  if (kind === 'html') return frame(token, '');
  if (kind === 'text') return make('pre', '', token.words().slice(0, 600));
  if (kind === 'model') return modelPicture(token);
  return icon(kind === 'audio' ? 'audio' : 'file');
}
`;
