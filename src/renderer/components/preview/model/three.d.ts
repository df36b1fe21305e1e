/** The used parts of three. Its own declarations, a separate package, would slow the type check down more than all of this page. */
declare module 'three' {
  export class Vector3 {
    x: number;
    y: number;
    z: number;
    set(x: number, y: number, z: number): this;
    multiplyScalar(by: number): this;
    length(): number;
  }
  export class Object3D {
    readonly position: Vector3;
    readonly rotation: { x: number; y: number; z: number };
    add(child: Object3D): this;
    traverse(look: (part: Mesh) => void): void;
  }
  export interface Material {
    dispose(): void;
  }
  export class Mesh extends Object3D {
    readonly geometry?: { dispose(): void };
    readonly material?: Material | Material[];
  }
  export class Scene extends Object3D {
    environment: unknown;
  }
  export class PerspectiveCamera extends Object3D {
    constructor(degrees: number, aspect: number, near: number, far: number);
    aspect: number;
    near: number;
    far: number;
    lookAt(x: number, y: number, z: number): void;
    updateProjectionMatrix(): void;
  }
  export class Box3 {
    setFromObject(object: Object3D): this;
    getSize(into: Vector3): Vector3;
    getCenter(into: Vector3): Vector3;
    isEmpty(): boolean;
  }
  export class WebGLRenderer {
    constructor(options: { antialias: boolean; alpha: boolean; canvas?: HTMLCanvasElement });
    readonly domElement: HTMLCanvasElement;
    toneMapping: number;
    setPixelRatio(ratio: number): void;
    setSize(width: number, height: number): void;
    render(scene: Scene, camera: PerspectiveCamera): void;
    dispose(): void;
    forceContextLoss(): void;
  }
  export class PMREMGenerator {
    constructor(renderer: WebGLRenderer);
    fromScene(scene: Scene, blur: number): { texture: unknown };
    dispose(): void;
  }
  export class AnimationMixer {
    constructor(root: Object3D);
    clipAction(clip: unknown): { play(): void };
    update(seconds: number): void;
  }
  export class TextureLoader {}
  export const NeutralToneMapping: number;
}
declare module 'three/examples/jsm/loaders/GLTFLoader.js' {
  import type { Object3D, TextureLoader } from 'three';
  export class GLTFLoader {
    register(plugin: (parser: { textureLoader: TextureLoader }) => { name: string }): this;
    parseAsync(data: ArrayBuffer, path: string): Promise<{ scene: Object3D; animations: unknown[] }>;
  }
}
declare module 'three/examples/jsm/controls/OrbitControls.js' {
  import type { PerspectiveCamera } from 'three';
  export class OrbitControls {
    constructor(camera: PerspectiveCamera, element: HTMLElement);
    enablePan: boolean;
    minDistance: number;
    maxDistance: number;
    addEventListener(event: 'change', listener: () => void): void;
    update(): void;
    dispose(): void;
  }
}
declare module 'three/examples/jsm/environments/RoomEnvironment.js' {
  import { Scene } from 'three';
  export class RoomEnvironment extends Scene {}
}
