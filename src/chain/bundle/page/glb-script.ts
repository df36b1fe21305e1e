/**
 * Reads binary glTF (Khronos glTF 2.0) for the viewer of the pages that show tokens. A file is not trusted: what it says is bounded before
 * anything is made of it, and it loads nothing. `readModel` throws where a file is malformed, too much for a page, or needs what is not here.
 */
export const GLB_SCRIPT = String.raw`
const GLB_LIMITS = { description: 4194304, nodes: 20000, numbers: 24e6, vertices: 6e6, drawing: 300, images: 32, pixels: 64e6, joints: 1000, uploads: 268435456 };
// Work for each frame is counted in vertices, and drawing one part as some of them.
/** What a file may require and still looks as it was made: materials are drawn as far as the viewer knows them. */
const GLB_KNOWN = /^KHR_(mesh_quantization|texture_transform|lights_punctual|materials_\w+)$|^EXT_texture_webp$/;
const GLB_SIZES = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };
const GLB_ARRAYS = { 5120: Int8Array, 5121: Uint8Array, 5122: Int16Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const refuse = (why) => { throw new Error(why); };

// Matrices are columns after each other, as WebGL takes them.
const UNIT = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const multiplied = (a, b) => Float32Array.from({ length: 16 }, (_, at) => {
  const row = at % 4;
  const column = at - row;
  return a[row] * b[column] + a[row + 4] * b[column + 1] + a[row + 8] * b[column + 2] + a[row + 12] * b[column + 3];
});
const placed = ([x, y, z, w], [sx, sy, sz], [tx, ty, tz]) => [
  (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + z * w) * sx, 2 * (x * z - y * w) * sx, 0,
  2 * (x * y - z * w) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + x * w) * sy, 0,
  2 * (x * z + y * w) * sz, 2 * (y * z - x * w) * sz, (1 - 2 * (x * x + y * y)) * sz, 0,
  tx, ty, tz, 1,
];
const moved = (m, [x, y, z]) => [0, 1, 2].map((row) => m[row] * x + m[row + 4] * y + m[row + 8] * z + m[row + 12]);

/** @param bytes the file @returns its description, the bytes of its buffer, its nodes with parents first, and readers of both */
function readModel(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length < 20 || view.getUint32(0, true) !== 0x46546c67 || view.getUint32(16, true) !== 0x4e4f534a ? 0 : view.getUint32(12, true);
  if (length === 0 || length > GLB_LIMITS.description || 20 + length > bytes.length) refuse('no model');
  const description = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)));
  const list = (name) => (Array.isArray(description[name]) ? description[name].map(Object) : []);
  const [nodes, meshes, accessors, views, images] = ['nodes', 'meshes', 'accessors', 'bufferViews', 'images'].map(list);
  const parts = meshes.reduce((sum, { primitives = [] }) => sum + primitives.length, 0);
  if (nodes.length > GLB_LIMITS.nodes || parts > GLB_LIMITS.nodes || images.length > GLB_LIMITS.images) refuse('too large');
  if ((description.extensionsRequired || []).some((name) => !GLB_KNOWN.test(name))) refuse('unknown extension');
  const start = 28 + length;
  const buffer = bytes.length <= start ? bytes.subarray(0, 0) : bytes.subarray(start, start + view.getUint32(20 + length, true));

  const bytesOf = (place) => {
    const { buffer: from, byteOffset = 0, byteLength, extensions } = views[place] || refuse('no view');
    if (from !== 0 || list('buffers')[0].uri !== undefined || (extensions && extensions.EXT_meshopt_compression)) refuse('other files');
    if (!(byteOffset >= 0 && byteLength > 0 && byteOffset + byteLength <= buffer.length)) refuse('cut');
    return buffer.subarray(byteOffset, byteOffset + byteLength);
  };
  const accessorOf = (place) => {
    const accessor = accessors[place] || refuse('no accessor');
    const kind = GLB_ARRAYS[accessor.componentType];
    const width = GLB_SIZES[accessor.type];
    if (!kind || !width || accessor.sparse || !(Number.isInteger(accessor.count) && accessor.count > 0)) refuse('accessor');
    const { bufferView, byteOffset = 0, count, normalized = false } = accessor;
    const source = bytesOf(bufferView);
    const stride = views[bufferView].byteStride || kind.BYTES_PER_ELEMENT * width;
    if (!(byteOffset >= 0 && stride > 0 && byteOffset + stride * (count - 1) + kind.BYTES_PER_ELEMENT * width <= source.length)) refuse('cut');
    return { ...accessor, kind, width, source, byteOffset, stride, normalized };
  };
  let numbers = 0;
  const read = new Map();
  /** The numbers of an accessor, those that are normalized between -1 and 1. */
  const numbersOf = (place) => {
    if (read.has(place)) return read.get(place);
    const { kind, width, source, byteOffset, stride, count, normalized } = accessorOf(place);
    numbers += count * width;
    if (numbers > GLB_LIMITS.numbers) refuse('too large');
    const most = !normalized || kind === Float32Array ? 1 : 2 ** (8 * kind.BYTES_PER_ELEMENT - (kind === Int8Array || kind === Int16Array ? 1 : 0)) - 1;
    const made = new Float32Array(count * width);
    for (let at = 0; at < count; at++) {
      const from = source.byteOffset + byteOffset + at * stride;
      const part = new kind(source.buffer.slice(from, from + width * kind.BYTES_PER_ELEMENT));
      for (let each = 0; each < width; each++) made[at * width + each] = part[each] / most;
    }
    read.set(place, made);
    return made;
  };

  // Each node once, parents first, so that no file makes a circle or a tower of copies.
  const order = [];
  const parents = new Map();
  const scene = list('scenes')[description.scene || 0];
  const waiting = (scene ? scene.nodes || [] : [...nodes.keys()]).map((node) => [node, undefined]);
  for (let at = 0; at < waiting.length; at++) {
    const [node, parent] = waiting[at];
    if (!nodes[node] || parents.has(node)) continue;
    parents.set(node, parent);
    order.push(node);
    for (const child of nodes[node].children || []) waiting.push([child, node]);
  }
  const posed = nodes.map(({ translation = [0, 0, 0], rotation = [0, 0, 0, 1], scale = [1, 1, 1], matrix }) => ({ translation, rotation, scale, matrix }));
  /** Where all nodes are, as posed now. */
  const places = () => {
    const made = [];
    for (const node of order) {
      const { translation, rotation, scale, matrix } = posed[node];
      const own = matrix || placed(rotation, scale, translation);
      const parent = parents.get(node);
      made[node] = parent === undefined ? own : multiplied(made[parent], own);
    }
    return made;
  };
  return { description, list, order, nodes, meshes, images, posed, places, bytesOf, accessorOf, numbersOf };
}

const numbersOr = (value, fallback) => (Array.isArray(value) && value.length === fallback.length && value.every(Number.isFinite) ? value : fallback);
/** What the surfaces of a model look like, and at last that of what names none. @param white the texture of what has no map */
function materialsOf({ list }, textures, white) {
  return [...list('materials'), {}].map(({ pbrMetallicRoughness, normalTexture, emissiveTexture, emissiveFactor, alphaMode, alphaCutoff = 0.5, doubleSided, extensions }) => {
    const { baseColorFactor, baseColorTexture, metallicFactor = 1, roughnessFactor = 1, metallicRoughnessTexture } = pbrMetallicRoughness || {};
    const { KHR_materials_unlit: unlit, KHR_materials_emissive_strength: strength } = extensions || {};
    const { KHR_texture_transform: transform } = (baseColorTexture && baseColorTexture.extensions) || {};
    const { rotation = 0, texCoord } = transform || {};
    const [[x, y], [w, h]] = [numbersOr(transform && transform.offset, [0, 0]), numbersOr(transform && transform.scale, [1, 1])];
    const map = (which) => (which && textures[which.index]) || white;
    return {
      base: numbersOr(baseColorFactor, [1, 1, 1, 1]),
      glow: numbersOr(emissiveFactor, [0, 0, 0]).map((each) => each * ((strength && strength.emissiveStrength) || 1)),
      roughness: roughnessFactor,
      metal: metallicFactor,
      bump: normalTexture ? normalTexture.scale || 1 : 0,
      cut: alphaMode === 'MASK' ? alphaCutoff : alphaMode === 'BLEND' ? -1 : 0,
      maps: [map(baseColorTexture), map(metallicRoughnessTexture), map(normalTexture), map(emissiveTexture)],
      uvs: 'TEXCOORD_' + (texCoord || (baseColorTexture && baseColorTexture.texCoord) || 0),
      uvPlace: [Math.cos(rotation) * w, -Math.sin(rotation) * w, 0, Math.sin(rotation) * h, Math.cos(rotation) * h, 0, x, y, 1],
      unlit: unlit !== undefined,
      doubleSided: doubleSided === true,
    };
  });
}

/** The first animation of a model: a function that poses its nodes at a second, or undefined. */
function animationOf({ list, posed, numbersOf }) {
  const [first] = list('animations');
  if (!first) return undefined;
  const tracks = (first.channels || []).slice(0, GLB_LIMITS.nodes).flatMap(({ sampler, target: { node, path } }) => {
    const { input, output, interpolation } = (first.samplers || [])[sampler] || refuse('no sampler');
    if (!posed[node] || !['translation', 'rotation', 'scale'].includes(path)) return [];
    const width = path === 'rotation' ? 4 : 3;
    const cubic = interpolation === 'CUBICSPLINE';
    const [times, values] = [numbersOf(input), numbersOf(output)];
    const at = (key) => values.subarray((cubic ? key * 3 + 1 : key) * width, (cubic ? key * 3 + 1 : key) * width + width);
    if (at(times.length - 1).length < width) refuse('cut');
    return [{ times, at, node, path, steps: interpolation === 'STEP' }];
  });
  const length = tracks.reduce((most, { times }) => Math.max(most, times[times.length - 1]), 0);
  if (!(length > 0)) return undefined;
  return (second) => {
    const now = second % length;
    for (const { times, at, node, path, steps } of tracks) {
      let [low, high] = [0, times.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= now) low = middle;
        else high = middle - 1;
      }
      const next = Math.min(low + 1, times.length - 1);
      const part = steps || next === low ? 0 : Math.min(1, Math.max(0, (now - times[low]) / (times[next] - times[low] || 1)));
      const [a, b] = [at(low), at(next)];
      const sign = path === 'rotation' && a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
      const value = Array.from(a, (each, place) => each * (1 - part) + sign * b[place] * part);
      const size = path === 'rotation' ? Math.hypot(...value) || 1 : 1;
      posed[node][path] = value.map((each) => each / size);
      posed[node].matrix = undefined;
    }
  };
}
`;
