#pragma once
// What the stages of a large step on a device see beside the world: links, and the numbers of the step. Arithmetic is
// single, places and angles are double, as on the CPU.
//
// Bodies stay in the order of World: a slot is an index. Links have a *number*, by their lower body, then by the higher
// one, then those with walls; and a *place*, by colour, in which they are swept. Links of one colour move no body in
// common, so that their order among each other does not matter.
#include "scree/cuda/views.hpp"
#include "scree/implicit/gain_kernel.hpp"
#include "scree/implicit/link_kernel.hpp"
#include "scree/implicit/pace_kernel.hpp"
#include "scree/implicit/solver_body.hpp"
#include "scree/implicit/sweep_kernel.hpp"

namespace scree::gpu {

using World32 = WorldView<float>;

// As PackRow and LinkPack, one link.
struct SweptRow {
  float gx = 0, gy = 0, ga = 0, gb = 0;
  float s = 0, mass = 0, impulse = 0, grip = 0;
  float approach = 0, absorbed = 0;
};

struct alignas(16) SweptLink {
  SweptRow row[2];
  float mass_a = 0, inertia_a = 0, mass_b = 0, inertia_b = 0;  // inverse
  float tx = 0, ty = 0, ta = 0, tb = 0, tangent_mass = 0, tangent_impulse = 0;
  float ux = 0, uy = 0, ua = 0, ub = 0, turn_mass = 0, turn_impulse = 0;
  float roll_impulse = 0, spin_mass = 0, spin_damping = 0, restitution = 0;
  float roll_grip[2] = {};
  std::uint32_t rolls = 0, turns = 0;
  std::uint32_t a = 0, b = 0;  // bodies; a wall is bodies + wall
};

// What the sweeps need not see, by place.
struct LinkState {
  Shift taken;        // when the planes were
  float sure = 0;     // the gap was no less then
  float gap[2] = {};  // of the rows then, offset taken off
  int row_count = 0;
};

// The planes and forces of a link; as Link, one that is swept or is going to be.
struct Planes {
  int row_count = 0;
  LinkRowOf<float> rows[2];
  Vec2<float> normal;  // of friction
  float arm_a = 0, arm_b = 0, tangential_force = 0, rolling_torque = 0;
  LinkTurnOf<float> turn;
  float sure = 0;  // the gap was no less where they were taken
  Shift since;     // how the bodies have moved since then
};

// A link by number: what goes on in the next look, and what the host sees.
struct Held {
  std::uint32_t body = 0;   // the lower one, or the one at a wall
  std::uint32_t other = 0;  // body, or bodies + wall
  std::uint32_t feature = 0;
  std::uint32_t source = none;  // pair of the list, in this step
  std::uint32_t serves = 0;     // 0: of a contact whose planes are not known; only its forces go on
  float gap[2] = {};            // of the rows where the bodies are now, as contacts have it
  Planes planes;
};

// The links of one look.
struct LinkSide {
  std::uint32_t* first = nullptr;  // bodies + 1: numbers
  Held* held = nullptr;            // by number
};

inline constexpr std::uint32_t most_colours = 63;  // links that find none come one by one after them

struct LinkParameters {
  float friction = 0;
  float spin_damping = 0;
  float rolling_friction = 0;
  float restitution = 0;
  double normal_damping = -1;  // stated: then the restitution depends on the pair
  double stiffness = 0;
};

// Numbers of the step that all stages share.
struct Frame {
  std::uint32_t side = 0;         // of the links that are swept
  std::uint32_t links = 0;        // their number
  std::uint32_t links_saved = 0;  // when the step began
  std::uint32_t substep = 0;      // of those that are as long as they are now
  std::uint32_t taken = 0;        // substeps of the step
  std::uint32_t watched = 0;      // bodies may become so fast in the step that they come too far in a substep
  std::uint32_t goes_on = 1;      // 0: so they would in this one: it is taken back
  std::uint32_t more = 0;         // another substep is to come
  std::uint32_t lost = 0;         // bodies may meet that have no link
  std::uint32_t again = 0;        // so they may, and it is not the first look of the step
  std::uint32_t part = 0;         // and some are to rebound before it
  std::uint32_t looked = 0;       // in this substep: planes are new
  std::uint32_t rebuild = 0;
  std::uint32_t impacts = 0;       // some are fast enough to rebound
  std::uint32_t meet = 0;          // speeds are such that meetings must be looked for
  std::uint32_t rounds = 0;        // of colouring
  std::uint32_t left = 0;          // 1: there are links without a colour
  std::uint32_t refused = 0;       // 1: the last round has left some
  std::uint32_t colours = 0;       // used
  std::uint32_t wanted = 0;        // links that there must be room for
  std::uint32_t astray = 0;        // 1: something has left its room
  std::uint32_t gaining = 0;       // contacts have given energy to the bodies: another sweep
  std::uint32_t rigid_sweeps = 0;  // of this substep
  std::uint32_t owing = 0;         // bodies have more than they had, and give it back
  std::uint32_t wall_step = 0;     // bits of a float: way of a wall in this substep
  std::uint32_t colour_size[most_colours + 1] = {};
  std::uint32_t colour_first[most_colours + 2] = {};
  std::uint32_t colour_next[most_colours + 1] = {};
  std::uint64_t meeting = 0;  // bits of the speed << 32 | ~body
  double met_speed = 0;       // of any two, where it is not known which of them meet; else 0
  double wall_speed = 0;

  StepPace pace;
  double begun = 0;  // share of the step that was over when substeps got as long as they are now
  SweepSettings sweep;
  Vec2d gravity, gravity_then;  // now; at the look
  float threshold = 0;
  double skin = 0;  // of the list
  double horizon = 0, elapsed = 0, fall = 0, room_time = 0, wall_room = 0, wall_way = 0;
  double energy = 0, missing = 0;    // when the step began; what is not there any more at its end
  double owed = 0;                   // of that: what bodies have more than they had
  double given_back = 0;             // the share of their gains
  double driven = 0, turned = 0;     // work of the step
  Vec2d kicks;                       // by gravity in the step, velocity
  double kinetic = 0;                // of this substep, before contacts did anything
  double driving = 0;                // work of this substep
  double gain = 0;                   // of kinetic energy by contacts, in this substep
  double absorbed = 0;               // by contacts since the look
  double rebounding = 0, share = 1;  // work of what is driven where others rebound; how much of all that may be
  double sliding = 0, rolling = 0;   // what friction and rolling took in the step
  double holdable = 0;               // by overlaps, at its end
};

// What sweeps have changed of a link.
struct Impulses {
  float of_row[2], approach[2], absorbed[2];
  float tangent, roll, turn;
};

struct SavedBody {
  Placed<float> placed;
  Moving<float> moving;
  std::array<std::int32_t, 2> image;
  TwistOf<double> velocity;
};

struct LinksView {
  LinkSide side[2];
  std::uint32_t* place = nullptr;  // of the links that are swept, by number
  SweptLink* swept = nullptr;      // by place
  LinkState* state = nullptr;      // by place
  Frame* frame = nullptr;
  TwistOf<double>* velocity = nullptr;  // bodies: between steps
  SolverBody* bodies = nullptr;         // bodies, then walls
  BodyVelocity* kicked = nullptr;       // bodies: before contacts have done anything in the substep
  SolverBody* then = nullptr;           // bodies: at the look
  BodyVelocity* outset = nullptr;       // bodies: when the substep began, where speeds are watched
  Impulses* at_outset = nullptr;        // by place, then
  std::uint32_t* upon = nullptr;        // by body, bits of a float: the largest speed at which others may come upon it
  double* room = nullptr;               // by body
  double* wall_slack = nullptr;         // by body
  std::uint32_t* strayed = nullptr;     // bodies, then walls
  std::uint32_t* hit = nullptr;         // by body: contacts have done something to it in this step
  std::uint32_t* wall_reach = nullptr;  // by wall, bits of a float: farthest point of a grain; only where it turns
  std::uint32_t* flag = nullptr;        // by pair of the list: 1: a link; 2: one whose planes still serve
  std::uint32_t* count = nullptr;       // bodies + 1
  std::uint32_t* colour = nullptr;      // by number
  std::uint32_t* order = nullptr;       // number by place
  std::uint64_t* best = nullptr;        // by body: the link that chooses next
  std::uint64_t* taken = nullptr;       // by body: colours of its links
  const LinkParameters* of_pairs = nullptr;  // types x types
  const LinkParameters* of_walls = nullptr;  // types x walls
  SavedBody* saved = nullptr;                // by body: at the beginning of the step
  Held* saved_held = nullptr;
  std::uint32_t* saved_first = nullptr;
  std::uint32_t capacity = 0;  // links

  double dt = 0, widest = 0, skin = 0;
  GrainScales grains;
  LinkScalesOf<float> scales;
  LinkLimits limits;
  ImplicitSettings settings;
  bool books = true;  // it is asked for what friction took

  SCREE_HD const LinkSide& now() const { return side[frame->side]; }
  SCREE_HD const LinkSide& before() const { return side[frame->side ^ 1u]; }
  SCREE_HD Shift shift(std::uint32_t a, std::uint32_t b) const {
    const float *of_a = bodies[a].moved, *of_b = bodies[b].moved;
    return {of_b[0] - of_a[0], of_b[1] - of_a[1], of_a[2], of_b[2]};
  }
};

// A speed or length in single precision, not below what it was.
SCREE_HD inline std::uint32_t bits_above(double value) { return float_bits(static_cast<float>(value) * (1 + 2e-7f)); }

SCREE_HD inline bool obeys(const World32& w, std::uint32_t k) {
  return k < w.bodies.count && w.bodies.moving[k].kind == BodyKind::moving;
}

SCREE_HD inline double body_radius(const World32& w, std::uint32_t k) {
  return w.types[w.bodies.moving[k].type].exact_radius;
}
// Of a wall as seen by a grain: that of the smallest.
SCREE_HD inline double radius_of(const World32& w, const LinksView& l, std::uint32_t k) {
  return k < w.bodies.count ? body_radius(w, k) : l.grains.radius;
}

SCREE_HD inline double rim_speed(const World32& w, const LinksView& l, std::uint32_t k) {
  return body_radius(w, k) * std::abs(static_cast<double>(l.bodies[k].v[2]));
}

SCREE_HD inline Vec2d velocity_of(const SolverBody& s) { return {s.v[0], s.v[1]}; }

SCREE_HD inline MobilityOf<float> mobility_at(const World32& w, std::uint32_t k) {
  return obeys(w, k) ? w.types[w.bodies.moving[k].type].mobility : MobilityOf<float>{};
}

}  // namespace scree::gpu
