#pragma once
// What the stages of a device step see of a world: plain arrays and counts, copied into every launch. T is the
// arithmetic of contacts and velocities; places and angles are double, so that a scene may lie anywhere.
//
// Bodies are kept in the order of the cells they were in when the list was built, for the sake of the caches. A *slot*
// is a place in that order, an *index* one in World. Whatever is added up, is added up in the order of indices: results
// do not depend on when a list was built, so a restart gives the same bits.
#include <array>
#include <cstdint>

#include "scree/base/sincos_kernel.hpp"
#include "scree/contact/contact_kernel.hpp"
#include "scree/contact/wall_search_kernel.hpp"
#include "scree/contact/wall_view.hpp"
#include "scree/cuda/atomics.hpp"
#include "scree/cuda/many_view.hpp"
#include "scree/cuda/pose_arrays.hpp"
#include "scree/force/contact_force_kernel.hpp"
#include "scree/map/clump_kernel.hpp"
#include "scree/map/star_near_kernel.hpp"
#include "scree/map/star_pair_kernel.hpp"
#include "scree/map/table_kernel.hpp"
#include "scree/world/world.hpp"

namespace scree::gpu {

inline constexpr std::uint32_t none = 0xffffffffu;

// A grain that a deletion zone has taken: it stays where it is and touches nothing, until the host removes it. Or one
// that is still to come (device_rain.hpp).
inline constexpr BodyKind gone{3};

template <class T>
SCREE_HD inline Rotation<T> turned_by(double theta) {
  double s = 0, c = 1;
  if (std::abs(theta) <= largest_angle) {
    sine_cosine(theta, s, c);
  } else {
    s = std::sin(theta), c = std::cos(theta);
  }
  return {static_cast<T>(c), static_cast<T>(s)};
}

template <class T>
struct alignas(32) Placed {
  Vec2d x;
  double theta = 0;
  Rotation<T> turn;  // by theta
};

template <class T>
struct alignas(16) Moving {
  Vec2<T> v;
  T omega{};
  std::uint16_t type = 0;
  BodyKind kind = BodyKind::moving;
};

template <class T>
struct BodyView {
  std::uint32_t count = 0;
  Placed<T>* placed = nullptr;
  Moving<T>* moving = nullptr;
  std::uint32_t* index = nullptr;
  std::uint32_t* slot = nullptr;  // by index
  Vec2<T>* force = nullptr;       // of the last evaluation, gravity included
  T* torque = nullptr;
  Vec2d* built_at = nullptr;  // when the list was built
  double* built_theta = nullptr;
  float* moved = nullptr;                        // bound on the way of any point since then, length
  std::array<std::int32_t, 2>* image = nullptr;  // by index: periodic wraps
  std::int32_t* driven = nullptr;                // by index: place in WorldView::driven, or -1; none: there are none
};

// What a contact hands on to the next step. 16 bytes in single precision.
template <class T>
struct alignas(16) Memory {
  T spring{};
  Vec2<T> normal{};
  std::uint32_t feature = none;  // none: there is no such contact
};

// What a pair does to its bodies: force on B, the opposite on A, and both torques.
template <class T>
struct alignas(4 * sizeof(T)) Wrench {
  Vec2<T> force;
  T torque_a{};
  T torque_b{};
};

// Pairs that may touch several times, by their runs of nodes that are inside of the other: one, two, two a side at
// most, more; clumps.
enum Tangle : std::uint32_t { once, twice, fourfold, tangled, tangles };

struct alignas(16) TouchingPair {
  std::uint32_t pair, a, b;
  std::uint32_t
      more;  // bit 31: touched in the last step; of those with one run, bit 30: it is A's, and its deepest node
};

// A contact in full, where somebody wants to see it.
template <class T>
struct Record {
  WorldGeometry<T> geometry;
  ContactForce<T> force;
};

// Nodes that may be inside of the other star, where B was, seen from A and in units of its radius, when they were
// looked for, and how far its points may go until that must be done again.
template <class T>
struct alignas(16) NearPose {
  Rotation<T> turn;
  Vec2<T> x;
  NearNodes a, b;
  T way{};
};

// Pairs whose bounding circles were within the skin, with the certificates of contact/pair_list.hpp.
template <class T>
struct ListView {
  std::uint32_t* row_first = nullptr;            // bodies + 1
  std::uint32_t* row = nullptr;                  // by body, by index of the partner: pair << 1 | (this body is B)
  std::uint32_t* pair_first = nullptr;           // bodies + 1: pairs whose lower index is this body's
  std::array<std::uint32_t, 2>* ends = nullptr;  // A and B, slots
  float* clear = nullptr;                        // cannot touch while moved[a] + moved[b] is less; negative: touches
  Memory<T>* memory = nullptr;                   // [pairs][several]
  Wrench<T>* wrench = nullptr;                   // of pairs that touch
  Record<T>* record = nullptr;                   // [pairs][several], or none
  std::uint32_t several = 1;                     // contacts a pair can remember
  NearPose<T>* near = nullptr;                   // of pairs of stars; none: no map has several contacts a pair
  float* several_clear = nullptr;                // of such maps: there is none while moved[a] + moved[b] is less
  StarRunsOfPair<T>* runs = nullptr;             // of nodes that are inside of the other, where there are any
  TouchingPair* touching = nullptr;              // [Tangle][capacity]: pairs with such nodes, as threads came
  std::uint32_t capacity = 0;                    // pairs
  std::uint32_t* asked = nullptr;                // where the pose lies that a pair asks of its map
};

// Nets and references answer many poses at a time; references are answered by the host. Those from star on may have
// several contacts a pair.
enum class MapKind : std::uint8_t { missing, discs, table, neural, reference, star, clump };

// Poses that are asked of maps, and their answers.
template <class Real>
struct AskView {
  PoseRange* ranges = nullptr;  // by map
  std::uint32_t map_count = 0;
  Real* x = nullptr;
  Real* y = nullptr;
  Real* theta = nullptr;
  GeometryArraysOf<Real> answers;

  template <class T>
  SCREE_HD ContactGeometryOf<T> answer(std::uint32_t k) const {
    return {static_cast<T>(answers.gap[k]),
            static_cast<T>(answers.gap_theta[k]),
            {static_cast<T>(answers.gap_x[k]), static_cast<T>(answers.gap_y[k])},
            static_cast<T>(answers.arm[k])};
  }
};

template <class T>
struct PairView {
  T scale{};          // A's circumradius
  T reach{};          // r_i + r_j
  T doubt{};          // gaps larger than this are gaps, length
  T rounding{};       // error of a distance computed in T, length
  T overlap_limit{};  // thinnest feature of the thinner partner
  MapKind kind = MapKind::missing;
  bool lower_is_a = true;
  std::uint16_t map = 0;  // in the maps of its kind
  LawParameters<T> law;
};

template <class T>
struct TypeView {
  T radius{};
  T mass{};
  MobilityOf<T> mobility;
  std::uint32_t shape = 0;
  double exact_radius = 0;
  MobilityOf<double> exact_mobility;
};

struct Cells {
  Vec2d origin;
  Vec2d size;
  std::array<std::int32_t, 2> count{1, 1};
};

// Why a device stops before the steps it was asked for are done.
enum Halt : std::uint32_t {
  halt_grow = 1,     // an array is too small for the list: sizes are in Control
  halt_fault = 2,    // the watchdog has something to say
  halt_done = 8,     // all steps are done
  halt_crowded = 16  // two grains touch in more places than a thread has room for
};

struct ListSizes {
  std::uint32_t rows = 0;
  std::uint32_t pairs = 0;
  std::uint32_t near = 0;     // bodies near walls
  std::uint32_t entries = 0;  // and what they are near to
};

// Energy that came and went since the beginning, as in Ledger.
struct StepWork {
  double normal_damping = 0;
  double friction = 0;
  double rotational = 0;
  double wall = 0;
  double gravity = 0;  // done by gravity that turns
  double moved = 0;
  double springs = 0;  // that tangential springs hold now
  double held = 0;     // that overlaps of large steps hold now
  double brought = 0;  // by them in this batch, and not known before
};

// One block of numbers that kernels share. The host reads it when a batch of steps is done.
struct Control {
  std::uint32_t step = 0;      // done in this batch
  std::uint32_t steps = 0;     // asked for
  std::uint32_t row_step = 1;  // 0: what was laid down for the first step holds for all
  double before = 0;           // steps of earlier batches
  std::uint32_t halt = 0;
  std::uint32_t begun = 0;    // 1: the step has been halted at its list, what comes before that is done
  std::uint32_t stale = 1;    // the list must be built anew
  std::uint32_t rebuild = 0;  // and will be in this step
  std::uint32_t pairs = 0;    // in the list
  std::uint32_t near = 0;     // bodies near walls
  std::uint32_t old_pairs = 0;
  std::uint32_t old_near = 0;
  ListSizes wanted;  // by the list that was counted last
  std::uint32_t most_several = 0;
  std::uint32_t most_wall_contacts = 0;
  std::uint32_t walls_moved = 0;  // bits of a float: as `farthest`
  std::uint32_t side = 0;         // of the walls' memory that was written last
  std::uint32_t rebuilds = 0;
  std::uint32_t queries = 0;             // of the last step
  std::uint32_t touching[tangles] = {};  // pairs in ListView::touching
  std::uint32_t tile = 0;                // of pairs, that a warp takes next
  std::uint32_t farthest = 0;            // bits of a float: way of a centre since the list was built, rounded up
  std::uint32_t fastest = 0;             // bits of a float: speed of any point in the last step
  std::uint32_t deepest = 0;             // bits of a float: overlap of the last step in units of w
  std::uint32_t recorded = 1;            // 1: contacts of the last step are all in ListView::record
  std::uint64_t deepest_place = 0;  // of a contact that the watchdog will look at: bits of `deepest`; place in record
  std::uint32_t faults = 0;         // 1: a body is not finite, too fast or lost; 4: crowded contacts
  Cells cells;
  StepWork work;
};

struct Script {
  Vec2d gravity;
  double time = 0;
};

// A kinematic body.
struct Driven {
  Vec2d x;
  double theta = 0;
  Vec2d v;
  double omega = 0;
  std::array<std::int32_t, 2> image{};
};

struct WallState {
  Pose2d pose;
  Rotation2d turn;
  Vec2d velocity;
  double omega = 0;
};

// What a grain's contact with a wall hands on.
struct WallMemory {
  std::int32_t wall = -1;  // -1: there is no such contact
  std::uint32_t feature = 0;
  double spring = 0;
  Vec2d normal;
};

struct WallWrench {
  Vec2d force;
  double torque = 0;
};

struct WallPair {
  LawParameters<double> law;
  double overlap_limit = 0;
};

struct WallsView {
  std::uint32_t count = 0;    // of a world
  std::uint32_t total = 0;    // of all
  WallView* views = nullptr;  // where they are now
  WallState* now = nullptr;
  const WallState* states = nullptr;    // [steps + 1][walls]
  const WallGlide* glides = nullptr;    // or none
  PlacedWallView* placed = nullptr;     // when the list was built
  PlacedElement* elements = nullptr;    // of all walls, likewise
  Pose2d* built_at = nullptr;           // likewise
  double* farthest = nullptr;           // likewise: bound on the distance of a grain from the wall's origin
  const double* extent = nullptr;       // largest distance of the wall's points from it
  const ShapeView* shapes = nullptr;    // of grains
  const WallPair* pairs = nullptr;      // [types][walls]
  std::uint32_t* near_first = nullptr;  // bodies + 1: what walls a body is near to, in `entries`
  std::uint32_t* near_rank = nullptr;   // bodies + 1: its place among the bodies near walls
  std::uint32_t* near_body = nullptr;   // slots of these
  NearWall* entries = nullptr;
  WallMemory* memory[2] = {};  // [bodies near walls][slots]: of the last step on one side, of this one on the other
  WallWrench* wrench = nullptr;
  Record<double>* record = nullptr;  // [bodies near walls][slots]
  std::uint32_t slots = 0;           // contacts with walls that a body can remember
};

struct Limits {
  double skin = 0;
  double speed = 0;  // of any point
  double overlap = 0;
  Box bounds;
  bool watch = true;
};

struct Zone {
  Box box;
  bool outside = false;
};

template <class T>
struct WorldView {
  BodyView<T> bodies;
  ListView<T> list;
  Control* control = nullptr;
  const TypeView<T>* types = nullptr;
  const PairView<T>* pairs = nullptr;  // types x types
  std::uint32_t type_count = 0;
  const TableView<T>* tables = nullptr;
  const StarPairView<T>* stars = nullptr;
  const ClumpView<T>* clumps = nullptr;
  AskView<float> nets;
  AskView<double> references;
  const Script* script = nullptr;  // by step of the batch
  const Driven* driven = nullptr;  // [steps + 1][driven]
  std::uint32_t driven_count = 0;
  WallsView walls;
  const Zone* zones = nullptr;
  std::uint32_t zone_count = 0;
  Periodic periodic;
  Limits limits;
  ManyView<T> many;

  SCREE_HD const PairView<T>& pair(std::uint16_t i, std::uint16_t j) const { return pairs[i * type_count + j]; }
};

}  // namespace scree::gpu
