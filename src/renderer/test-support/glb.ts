/** A binary glTF file of a description and the numbers that it names. */
export function glbOf(
  description: object,
  numbers: Float32Array<ArrayBuffer> = new Float32Array(0),
): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(description));
  const padded = Math.ceil(text.length / 4) * 4;
  const bytes = new Uint8Array(28 + padded + numbers.byteLength);
  const view = new DataView(bytes.buffer);
  const words = [0x46546c67, 2, bytes.length, padded, 0x4e4f534a];
  for (const [index, word] of words.entries()) view.setUint32(index * 4, word, true);
  bytes.fill(0x20, 20, 20 + padded);
  bytes.set(text, 20);
  view.setUint32(20 + padded, numbers.byteLength, true);
  view.setUint32(24 + padded, 0x004e4942, true);
  bytes.set(new Uint8Array(numbers.buffer), 28 + padded);
  return bytes;
}

/** The description of {@link triangle}. */
export const TRIANGLE = {
  asset: { version: '2.0' },
  scene: 0,
  scenes: [{ nodes: [0] }],
  nodes: [{ mesh: 0 }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
  materials: [{ doubleSided: true, pbrMetallicRoughness: { baseColorFactor: [0.9, 0.3, 0.1, 1], metallicFactor: 0 } }],
  accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [-1, -1, 0], max: [1, 1, 0] }],
  bufferViews: [{ buffer: 0, byteLength: 36 }],
  buffers: [{ byteLength: 36 }],
};

/** A model of one orange triangle. */
export function triangle(): Uint8Array<ArrayBuffer> {
  return glbOf(TRIANGLE, new Float32Array([-1, -1, 0, 1, -1, 0, 0, 1, 0]));
}
