import {
  AnimationMixer,
  Box3,
  NeutralToneMapping,
  Object3D,
  PerspectiveCamera,
  PMREMGenerator,
  Scene,
  TextureLoader,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { POSTER_SIDE, pictureOf } from '../video-poster.ts';
import { modelFault } from './glb-limits.ts';

const VIEW_DEGREES = 40;
/** Rotation per press of an arrow key, in radians, and factor per step of the zoom. */
const TURN = Math.PI / 12;
const STEP = 1.15;

interface Stage {
  readonly renderer: WebGLRenderer;
  readonly scene: Scene;
  readonly camera: PerspectiveCamera;
  /** Rotates about its own centre. */
  readonly turned: Object3D;
  readonly model: Object3D;
  readonly animations: readonly unknown[];
  /** Half the size of the space around the model, in its own units. */
  readonly radius: number;
  close(): void;
}

/** @throws Error if the model is malformed, incomplete, too large, or the browser supports no WebGL */
async function stageOf(blob: Blob): Promise<Stage> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const fault = modelFault(bytes);
  if (fault !== undefined) throw new Error(fault);
  // The default texture loader uses `fetch`, which the page's policy allows for the own server only.
  const loader = new GLTFLoader().register((parser) => {
    parser.textureLoader = new TextureLoader();
    return { name: 'textures-as-images' };
  });
  const { scene: model, animations } = await loader.parseAsync(bytes.buffer, '');
  const box = new Box3().setFromObject(model);
  if (box.isEmpty()) throw new Error('empty');
  const radius = box.getSize(new Vector3()).length() / 2;
  const centre = box.getCenter(new Vector3());
  model.position.set(model.position.x - centre.x, model.position.y - centre.y, model.position.z - centre.z);
  const renderer = new WebGLRenderer({ antialias: true, alpha: true });
  renderer.toneMapping = NeutralToneMapping;
  const scene = new Scene();
  const light = new PMREMGenerator(renderer);
  scene.environment = light.fromScene(new RoomEnvironment(), 0.04).texture;
  light.dispose();
  const turned = new Object3D();
  turned.add(model);
  scene.add(turned);
  const camera = new PerspectiveCamera(VIEW_DEGREES, 1, radius / 100, radius * 100);
  const distance = (radius * 1.1) / Math.sin((VIEW_DEGREES * Math.PI) / 360);
  camera.position.set(distance * 0.5, distance * 0.35, distance * 0.79);
  camera.lookAt(0, 0, 0);
  const close = () => {
    model.traverse(({ geometry, material }) => {
      geometry?.dispose();
      for (const one of material === undefined ? [] : [material].flat()) one.dispose();
    });
    renderer.dispose();
    renderer.forceContextLoss();
  };
  return { renderer, scene, camera, turned, model, animations, radius, close };
}

/** A still picture of a model. @throws Error as {@link showModel} */
export async function modelPoster(blob: Blob): Promise<Blob> {
  const { renderer, scene, camera, close } = await stageOf(blob);
  try {
    renderer.setPixelRatio(1);
    renderer.setSize(POSTER_SIDE, POSTER_SIDE);
    renderer.render(scene, camera);
    return await pictureOf(renderer.domElement);
  } finally {
    close();
  }
}

export interface ShownModel {
  /** Rotates or zooms by a key. @returns whether it is one of those keys */
  press(key: string): boolean;
  close(): void;
}

/**
 * Draws a model into a box, where it can be rotated with the pointer. Its first animation plays, unless the person prefers reduced motion.
 * @throws Error if the model is malformed, incomplete, too large, or the browser supports no WebGL
 */
export async function showModel(box: HTMLElement, blob: Blob): Promise<ShownModel> {
  const { renderer, scene, camera, turned, model, animations, radius, close } = await stageOf(blob);
  const controls = new OrbitControls(camera, renderer.domElement);
  controls.enablePan = false;
  controls.minDistance = radius * 0.2;
  controls.maxDistance = radius * 20;
  const draw = () => renderer.render(scene, camera);
  controls.addEventListener('change', draw);
  renderer.setPixelRatio(Math.min(2, devicePixelRatio));
  const fit = () => {
    renderer.setSize(box.clientWidth, box.clientHeight);
    camera.aspect = box.clientWidth / Math.max(1, box.clientHeight);
    camera.updateProjectionMatrix();
    draw();
  };
  const sizes = new ResizeObserver(fit);
  box.append(renderer.domElement);
  sizes.observe(box);
  const stop = play(model, animations, draw);
  return {
    press: (key) => {
      const [x, y] = { ArrowUp: [-TURN, 0], ArrowDown: [TURN, 0], ArrowLeft: [0, -TURN], ArrowRight: [0, TURN] }[
        key
      ] ?? [0, 0];
      const nearer = key === '+' ? 1 / STEP : key === '-' ? STEP : 1;
      if (x === 0 && y === 0 && nearer === 1) return false;
      turned.rotation.x += x as number;
      turned.rotation.y += y as number;
      camera.position.multiplyScalar(nearer);
      controls.update();
      draw();
      return true;
    },
    close: () => {
      stop();
      sizes.disconnect();
      controls.dispose();
      renderer.domElement.remove();
      close();
    },
  };
}

function play(model: Object3D, animations: readonly unknown[], draw: () => void): () => void {
  const [first] = animations;
  if (first === undefined || matchMedia('(prefers-reduced-motion: reduce)').matches) return () => undefined;
  const mixer = new AnimationMixer(model);
  mixer.clipAction(first).play();
  let before = performance.now();
  let frame = requestAnimationFrame(function next(now) {
    mixer.update((now - before) / 1_000);
    before = now;
    draw();
    frame = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(frame);
}
