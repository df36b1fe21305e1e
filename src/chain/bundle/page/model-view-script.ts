/** A model in the page: large, turned by pointer and keys, or still in a tile. What cannot be drawn here is said and can be saved. */
export const MODEL_VIEW_SCRIPT = `
const FRONT = { yaw: 0.56, pitch: 0.36 };
let shownModel;

async function modelOf(token) {
  const bytes = await token.model();
  return openModel(bytes || refuse('not here'));
}

function modelView(token, name) {
  const canvas = make('canvas');
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', say(T.art, { name }));
  const view = make('div', 'turned', canvas, make('p', 'quiet', T.turn));
  let { yaw, pitch } = FRONT;
  let nearer = 1;
  let model;
  const draw = () => model && canvas.width > 0 && canvas.height > 0 && model.draw(canvas, yaw, pitch, nearer);
  const turn = (across, up, factor) => {
    yaw -= across;
    pitch = Math.min(1.5, Math.max(-1.5, pitch + up));
    nearer = Math.min(8, Math.max(0.2, nearer * factor));
    draw();
  };
  canvas.addEventListener('pointermove', (event) => {
    if (event.buttons & 1) turn(event.movementX / 150, event.movementY / 150, 1);
  });
  canvas.addEventListener('pointerdown', (event) => canvas.setPointerCapture(event.pointerId));
  // The page scrolls by the wheel until the model is chosen.
  canvas.addEventListener('wheel', (event) => {
    if (document.activeElement !== canvas) return;
    event.preventDefault();
    turn(0, 0, Math.exp(-event.deltaY / 800));
  }, { passive: false });
  canvas.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: [-0.26, 0, 1], ArrowRight: [0.26, 0, 1], ArrowUp: [0, -0.26, 1], ArrowDown: [0, 0.26, 1], '+': [0, 0, 1.15], '-': [0, 0, 1 / 1.15] }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    turn(...by);
  });
  new ResizeObserver(() => {
    const dots = Math.min(2, devicePixelRatio);
    Object.assign(canvas, { width: Math.round(canvas.clientWidth * dots), height: Math.round(canvas.clientHeight * dots) });
    draw();
  }).observe(canvas);
  modelOf(token).then((opened) => {
    if (shownModel) shownModel.close();
    shownModel = model = opened;
    draw();
    if (!model.pose || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    requestAnimationFrame(function next(now) {
      if (!canvas.isConnected || shownModel !== model) return;
      model.pose(now / 1000);
      draw();
      requestAnimationFrame(next);
    });
  }).catch(() => view.replaceWith(placeholder('block', say(T.noPlayer, { what: T.model, size: size(token.bytes) }))));
  return view;
}

// Tiles are drawn one after the other, each once it is in sight.
let lastPicture = Promise.resolve();
function modelPicture(token) {
  const canvas = Object.assign(make('canvas'), { width: 480, height: 480 });
  const draw = async () => {
    try {
      const model = await modelOf(token);
      model.draw(canvas, FRONT.yaw, FRONT.pitch, 1);
      model.close();
    } catch {
      canvas.replaceWith(icon('block'));
    }
  };
  new IntersectionObserver((seen, observer) => {
    if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    lastPicture = lastPicture.then(draw);
  }, { rootMargin: '200px' }).observe(canvas);
  return canvas;
}
`;
