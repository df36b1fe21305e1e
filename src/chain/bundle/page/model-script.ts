/** Draws 3D models with WebGL 2 in one surface for the whole page, from which each view takes its picture. See docs/decisions/0016. */
export const MODEL_SCRIPT = String.raw`
const VERTEX = ${'`'}#version 300 es
in vec3 position; in vec3 normal; in vec2 uv; in vec4 tint; in vec4 joints; in vec4 weights;
uniform mat4 look, place; uniform mat3 uvPlace; uniform bool skinned; uniform highp sampler2D bones;
out vec3 at, facing; out vec2 spot; out vec4 tinted;
mat4 bone(float joint) { int j = int(joint); return mat4(texelFetch(bones, ivec2(0, j), 0), texelFetch(bones, ivec2(1, j), 0), texelFetch(bones, ivec2(2, j), 0), texelFetch(bones, ivec2(3, j), 0)); }
void main() {
  mat4 m = skinned ? weights.x * bone(joints.x) + weights.y * bone(joints.y) + weights.z * bone(joints.z) + weights.w * bone(joints.w) : place;
  vec4 world = m * vec4(position, 1.);
  at = world.xyz; facing = transpose(inverse(mat3(m))) * normal; spot = (uvPlace * vec3(uv, 1.)).xy; tinted = tint;
  gl_Position = look * world; gl_PointSize = 2.;
}${'`'};
// Lit by a room that is computed: a bright ceiling, a large lamp in front and a smaller one behind.
const FRAGMENT = ${'`'}#version 300 es
precision highp float;
in vec3 at, facing; in vec2 spot; in vec4 tinted; out vec4 shown;
uniform vec4 base; uniform vec3 eye, glow; uniform float roughness, metal, bump, cut; uniform bool unlit, hasNormals, twoSided;
uniform sampler2D baseMap, roughMap, bumpMap, glowMap;
vec3 linear(vec3 c) { return pow(c, vec3(2.2)); }
vec3 room(vec3 d, float r) {
  vec3 walls = mix(vec3(.3, .28, .26), vec3(.86, .88, .9), smoothstep(-1., 1., d.y));
  float wide = mix(80., 1.5, sqrt(r));
  float front = pow(max(dot(d, normalize(vec3(.6, .7, .6))), 0.), wide), back = pow(max(dot(d, normalize(vec3(-.8, .3, -.5))), 0.), wide);
  return walls * .8 + (front * mix(5., .8, r) + back * mix(2.5, .3, r)) * vec3(1., .98, .95);
}
void main() {
  vec4 color = base * tinted * vec4(linear(texture(baseMap, spot).rgb), texture(baseMap, spot).a);
  if (cut > 0. && color.a < cut) discard;
  if (cut >= 0.) color.a = 1.;
  vec3 lit = color.rgb;
  if (!unlit) {
    vec3 dx = dFdx(at), dy = dFdy(at), v = normalize(eye - at);
    vec3 n = hasNormals ? normalize(facing) * (twoSided && !gl_FrontFacing ? -1. : 1.) : normalize(cross(dx, dy));
    if (bump > 0.) {
      vec2 ux = dFdx(spot), uy = dFdy(spot);
      vec3 t = dx * uy.y - dy * ux.y, b = dy * ux.x - dx * uy.x, m = texture(bumpMap, spot).rgb * 2. - 1.;
      float s = inversesqrt(max(max(dot(t, t), dot(b, b)), 1e-20));
      n = normalize(t * s * m.x * bump - b * s * m.y * bump + n * m.z);
    }
    vec3 rm = texture(roughMap, spot).rgb;
    float r = clamp(roughness * rm.g, .04, 1.), k = clamp(metal * rm.b, 0., 1.), c = max(dot(n, v), 0.);
    vec4 q = r * vec4(-1., -.0275, -.572, .022) + vec4(1., .0425, 1.04, -.04);
    float a = min(q.x * q.x, exp2(-9.28 * c)) * q.x + q.y;
    vec3 f = mix(vec3(.04), color.rgb, k) * (a * -1.04 + q.z) + a * 1.04 + q.w;
    lit = color.rgb * (1. - k) * room(n, 1.) + f * room(reflect(-v, n), r) + glow * linear(texture(glowMap, spot).rgb);
    float peak = max(lit.r, max(lit.g, lit.b));
    if (peak > .8) lit *= (1. - .04 / (peak - .6)) / peak;
  }
  shown = vec4(pow(lit, vec3(1. / 2.2)) * color.a, color.a);
}${'`'};
const ATTRIBUTES = { position: 'POSITION', normal: 'NORMAL', tint: 'COLOR_0', joints: 'JOINTS_0', weights: 'WEIGHTS_0' };

/** The drawing surface, made with the first model; its fault is thrown again for each other one. */
let surface;
function drawingSurface() {
  if (surface) return surface;
  const canvas = make('canvas');
  const gl = canvas.getContext('webgl2', { antialias: true, preserveDrawingBuffer: true }) || refuse('no WebGL 2');
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) refuse(gl.getProgramInfoLog(program) || 'no shader');
  gl.useProgram(program);
  const spots = {};
  const white = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, white);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array([255, 255, 255, 255]));
  surface = {
    canvas,
    gl,
    white,
    attribute: (name) => gl.getAttribLocation(program, name),
    uniform: (name) => (spots[name] = spots[name] || gl.getUniformLocation(program, name)),
  };
  for (const [unit, name] of ['bones', 'baseMap', 'roughMap', 'bumpMap', 'glowMap'].entries()) gl.uniform1i(surface.uniform(name), unit);
  return surface;
}

/** The textures of a model. The browser decodes them, as it does any picture. @param made where it says what to free */
async function texturesOf({ list, images, bytesOf }, made) {
  const { gl, white } = drawingSurface();
  let pixels = 0;
  const pictures = [];
  for (const { uri, bufferView, mimeType } of images) {
    const [, type, text] = /^data:(image\/[\w+]+);base64,(.*)$/s.exec(uri || '') || [];
    if (uri !== undefined && text === undefined) refuse('other files');
    const blob = new Blob([text === undefined ? bytesOf(bufferView) : fromBase64(text)], { type: type || String(mimeType) });
    let picture = await createImageBitmap(blob, { premultiplyAlpha: 'none', colorSpaceConversion: 'none' });
    pixels += picture.width * picture.height;
    if (pixels > GLB_LIMITS.pixels) refuse('too large');
    if (Math.max(picture.width, picture.height) > 4096) picture = await createImageBitmap(picture, { resizeWidth: Math.min(4096, picture.width), resizeHeight: Math.min(4096, picture.height) });
    pictures.push(picture);
  }
  return list('textures').map(({ source, sampler, extensions }) => {
    const webp = extensions && extensions.EXT_texture_webp;
    const picture = pictures[webp ? webp.source : source];
    if (!picture) return white;
    const { wrapS = 10497, wrapT = 10497, magFilter = 9729 } = list('samplers')[sampler] || {};
    const texture = gl.createTexture();
    made.push(() => gl.deleteTexture(texture));
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, picture);
    gl.generateMipmap(gl.TEXTURE_2D);
    for (const [key, value] of [[gl.TEXTURE_WRAP_S, wrapS], [gl.TEXTURE_WRAP_T, wrapT], [gl.TEXTURE_MAG_FILTER, magFilter]]) gl.texParameteri(gl.TEXTURE_2D, key, value);
    return texture;
  });
}

/**
 * Makes a model ready to be drawn.
 * @returns pose(second) where it moves, draw(canvas, yaw, pitch, nearer), and close
 */
async function openModel(bytes) {
  const made = [];
  const close = () => { for (const free of made.splice(0)) free(); };
  try {
    return { ...(await builtModel(readModel(bytes), made)), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function builtModel(model, made) {
  const { list, order, nodes, meshes, places, bytesOf, accessorOf, numbersOf } = model;
  const { gl, white, attribute } = drawingSurface();
  const buffers = new Map();
  let uploaded = 0;
  const bufferOf = (view, target) => {
    const key = view + ':' + target;
    if (!buffers.has(key)) {
      const data = bytesOf(view);
      uploaded += data.length;
      if (uploaded > GLB_LIMITS.uploads) refuse('too large');
      const buffer = gl.createBuffer();
      made.push(() => gl.deleteBuffer(buffer));
      gl.bindVertexArray(null);
      gl.bindBuffer(target, buffer);
      gl.bufferData(target, data, gl.STATIC_DRAW);
      buffers.set(key, buffer);
    }
    return buffers.get(key);
  };

  const textures = await texturesOf(model, made);
  const materials = materialsOf(model, textures, white);
  let vertices = 0;
  const primitives = meshes.map(({ primitives: parts = [] }) => parts.map(({ attributes, indices, material, mode = 4 }) => {
    const look = materials[material] || materials[materials.length - 1];
    const { min, max, count } = accessorOf(attributes.POSITION);
    const array = gl.createVertexArray();
    made.push(() => gl.deleteVertexArray(array));
    const set = [];
    for (const [name, key] of Object.entries({ ...ATTRIBUTES, uv: look.uvs })) {
      if (attributes[key] === undefined || attribute(name) < 0) continue;
      const { bufferView, width, componentType, normalized, stride, byteOffset } = accessorOf(attributes[key]);
      set.push([bufferOf(bufferView, gl.ARRAY_BUFFER), attribute(name), width, componentType, normalized, stride, byteOffset]);
    }
    const index = indices === undefined ? undefined : accessorOf(indices);
    const list = index && bufferOf(index.bufferView, gl.ELEMENT_ARRAY_BUFFER);
    gl.bindVertexArray(array);
    for (const [buffer, spot, ...rest] of set) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(spot);
      gl.vertexAttribPointer(spot, ...rest);
    }
    if (list) gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, list);
    const box = [numbersOr(min, [-1, -1, -1]), numbersOr(max, [1, 1, 1])];
    const isSmooth = attributes.NORMAL !== undefined;
    return { array, mode, look, box, isSmooth, index, count: index ? index.count : count };
  }));
  gl.bindVertexArray(null);

  const skins = list('skins').map(({ joints = [], inverseBindMatrices }) => {
    if (joints.length > GLB_LIMITS.joints || joints.some((joint) => !nodes[joint])) refuse('too large');
    const bind = inverseBindMatrices === undefined ? undefined : numbersOf(inverseBindMatrices);
    return { joints, bind: (at) => (bind ? bind.subarray(at * 16, at * 16 + 16) : UNIT), texture: gl.createTexture() };
  });
  for (const { texture } of skins) made.push(() => gl.deleteTexture(texture));
  const bonesOf = ({ joints, bind }, where) => joints.map((joint, at) => multiplied(where[joint] || UNIT, bind(at)));

  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const start = places();
  const drawn = order.flatMap((node) => {
    const { mesh, skin } = nodes[node];
    const rig = skins[skin];
    return (primitives[mesh] || []).map((part) => {
      vertices += part.count + GLB_LIMITS.drawing + (rig ? rig.joints.length * 16 : 0);
      if (vertices > GLB_LIMITS.vertices) refuse('too large');
      const [place] = rig ? bonesOf(rig, start) : [start[node]];
      for (let corner = 0; corner < 8; corner++) {
        const point = moved(place || UNIT, [0, 1, 2].map((axis) => part.box[(corner >> axis) & 1][axis]));
        for (const axis of [0, 1, 2]) [low[axis], high[axis]] = [Math.min(low[axis], point[axis]), Math.max(high[axis], point[axis])];
      }
      return { ...part, node, rig };
    });
  }).sort((a, b) => Number(a.look.cut < 0) - Number(b.look.cut < 0));
  const middle = low.map((each, axis) => (each + high[axis]) / 2);
  const radius = Math.hypot(...low.map((each, axis) => high[axis] - each)) / 2;
  if (!(radius > 0 && Number.isFinite(radius))) refuse('empty');

  const scene = { drawn, radius, middle, places, bonesOf };
  return { draw: (...how) => drawModel(scene, ...how), pose: animationOf(model) };
}

/** Draws a scene into a canvas, seen from an angle (radians), and from how much nearer than where all of it fits. */
function drawModel({ drawn, radius, middle, places, bonesOf }, target, yaw, pitch, nearer) {
  const { gl, canvas, white, attribute, uniform } = drawingSurface();
  const [width, height] = [target.width, target.height];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  gl.viewport(0, 0, width, height);
  gl.clearColor(0, 0, 0, 0);
  gl.depthMask(true);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const focus = 1 / Math.tan(Math.PI / 9);
  const far = radius / Math.sin(Math.PI / 9) / Math.min(1, width / height) / nearer;
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const turn = [cy, -sp * sy, cp * sy, 0, 0, cp, sp, 0, -sy, -sp * cy, cp * cy, 0, 0, 0, 0, 1];
  const [n, f] = [Math.max(far - radius * 2, radius / 200), far + radius * 2];
  const lens = [(focus * height) / width, 0, 0, 0, 0, focus, 0, 0, 0, 0, (n + f) / (n - f), -1, 0, 0, (2 * n * f) / (n - f), 0];
  const view = multiplied(placed([0, 0, 0, 1], [1, 1, 1], [0, 0, -far]), multiplied(turn, placed([0, 0, 0, 1], [1, 1, 1], middle.map((each) => -each))));
  gl.uniformMatrix4fv(uniform('look'), false, multiplied(lens, view));
  gl.uniform3fv(uniform('eye'), middle.map((each, axis) => each + far * [cp * sy, sp, cp * cy][axis]));
  const where = places();
  for (const { node, rig, array, mode, look, isSmooth, index, count } of drawn) {
    const place = where[node];
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, rig ? rig.texture : white);
    if (rig) {
      const bones = new Float32Array(rig.joints.length * 16);
      for (const [at, bone] of bonesOf(rig, where).entries()) bones.set(bone, at * 16);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 4, rig.joints.length, 0, gl.RGBA, gl.FLOAT, bones);
      for (const key of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, key, gl.NEAREST);
    }
    gl.uniform1i(uniform('skinned'), rig ? 1 : 0);
    gl.uniformMatrix4fv(uniform('place'), false, place);
    gl.uniformMatrix3fv(uniform('uvPlace'), false, look.uvPlace);
    gl.uniform4fv(uniform('base'), look.base);
    gl.uniform3fv(uniform('glow'), look.glow);
    for (const name of ['roughness', 'metal', 'bump', 'cut']) gl.uniform1f(uniform(name), look[name]);
    for (const [name, value] of [['unlit', look.unlit], ['hasNormals', isSmooth], ['twoSided', look.doubleSided]]) gl.uniform1i(uniform(name), value ? 1 : 0);
    for (const [unit, texture] of look.maps.entries()) {
      gl.activeTexture(gl.TEXTURE1 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    }
    const [a, b, c, , d, e, g, , h, i, j] = place;
    gl.frontFace(!rig && a * (e * j - g * i) - d * (b * j - c * i) + h * (b * g - c * e) < 0 ? gl.CW : gl.CCW);
    (look.doubleSided ? gl.disable : gl.enable).call(gl, gl.CULL_FACE);
    (look.cut < 0 ? gl.enable : gl.disable).call(gl, gl.BLEND);
    gl.depthMask(look.cut >= 0);
    gl.bindVertexArray(array);
    gl.vertexAttrib4f(attribute('tint'), 1, 1, 1, 1);
    if (index) gl.drawElements(mode, count, index.componentType, index.byteOffset);
    else gl.drawArrays(mode, 0, count);
  }
  gl.bindVertexArray(null);
  const paper = target.getContext('2d');
  paper.clearRect(0, 0, width, height);
  paper.drawImage(canvas, 0, 0);
}
`;
