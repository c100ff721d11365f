// How a grain comes to the screen: as its outline, triangle by triangle, or with SPRITE defined as one point that shows
// its picture, turned.

export const vertexShader = `
precision highp float;
#ifndef SPRITE
in vec2 corner, inward;
#endif
in vec2 centre;
in vec4 motion;  // angle / pi, velocity, spin
in float force, flags;
uniform vec2 look, pixel, shift, borderLow, borderHigh;
uniform float radius, inset, faded, edge, topSpeed, topForce, spriteSize;
uniform int mode;
uniform bool image, greyDriven;
uniform vec3 own, neutral, ground, edgeColour;
uniform sampler2D ramp;
#ifdef SPRITE
flat out vec3 colour, rim;
flat out vec2 turn;
#else
out vec3 colour;
#endif

vec3 rampColour(float t) { return texture(ramp, vec2(clamp(t, 0.002, 0.998), 0.5)).rgb; }

vec3 fillColour() {
  float bits = flags < 0.0 ? flags + 65536.0 : flags;  // partners, 8; kind, 2; group, 6
  float group = floor(bits / 1024.0);
  float kind = floor((bits - 1024.0 * group) / 256.0);
  if (kind > 0.5 && greyDriven) return neutral;
  if (mode == 1) return texelFetch(ramp, ivec2(int(group), 0), 0).rgb;
  if (mode == 2) return rampColour(length(motion.yz) * topSpeed);
  if (mode == 3) return rampColour(force * topForce);
  if (mode == 4) return rampColour(fract(0.5 * motion.x));
  if (mode == 5) return rampColour((bits - 1024.0 * group - 256.0 * kind) / 8.0);
  return own;
}

void main() {
  vec2 at = centre + shift;
  bool crosses = all(greaterThan(at + radius, borderLow)) && all(lessThan(at - radius, borderHigh));
  if (image && !crosses) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  float angle = motion.x * 3.14159265359;
  float c = cos(angle), s = sin(angle);
  vec3 fill = mix(fillColour(), ground, faded);
#ifdef SPRITE
  colour = fill;
  rim = mix(fill, edgeColour, edge);
  turn = vec2(c, s);
  gl_Position = vec4((at - look) * pixel, 0.0, 1.0);
  gl_PointSize = spriteSize;
#else
  colour = mix(fill, edgeColour, edge);
  vec2 p = radius * (corner + inset * inward);
  gl_Position = vec4((at + vec2(c * p.x - s * p.y, s * p.x + c * p.y) - look) * pixel, 0.0, 1.0);
#endif
}`;

export const outlineShader = `
precision mediump float;
in vec3 colour;
out vec4 result;
void main() { result = vec4(colour, 1.0); }`;

// With a `peak` it is a soft dot of the grain's area: below three pixels no more can be seen, and textures take time.
export const spriteShader = `
precision mediump float;
flat in vec3 colour, rim;
flat in vec2 turn;
uniform sampler2D sprite;  // how much of a texel is grain, and how much of it lies within the rim
uniform float level, share, peak;
out vec4 result;
void main() {
  vec2 p = vec2(gl_PointCoord.x - 0.5, 0.5 - gl_PointCoord.y);
  vec2 covered = vec2(clamp(peak * (1.0 - 4.0 * dot(p, p)), 0.0, 1.0));
  if (peak == 0.0)
    covered = textureLod(sprite, vec2(turn.x * p.x + turn.y * p.y, turn.x * p.y - turn.y * p.x) + 0.5, level).rg;
  result = share * vec4(covered.g * colour + (covered.r - covered.g) * rim, covered.r);
}`;
