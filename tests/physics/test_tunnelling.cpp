// Large steps: grains never pass through each other, by exact maps after every substep.
//
// Gaps change by no more than two grains' points move. So with overlaps of at most D before and after a substep and
// ways of at most s of any point within it, no overlap was ever deeper than D + s/2, midway; and a bar of width w is
// passed through only by way of an overlap of w/2. The tests ask for D + s/2 < w/2.
#include "chain.hpp"
#include "physics.hpp"
#include "scree/contact/exact_overlap.hpp"
#include "scree/implicit/implicit_solver.hpp"
#include "scree/step/resolve.hpp"

namespace scree::testing {
namespace {

constexpr double dt = 1.0 / 60;

// The solver without what a Simulation does around it, so that the world can be looked at within a step.
class WatchedSolver {
 public:
  WatchedSolver(World w, int most_substeps)
      : world(std::move(w)),
        tables_(world),
        forces_(world),
        walls_(world),
        exact_(world),
        solver_(world, tables_, forces_, walls_, {.most_substeps = most_substeps}, default_skin(world)) {}

  void step() {
    const double begin = world.time;
    before_ = world.bodies;
    solver_.step(
        world, dt, false, false, [&](double time) { look(time); }, test_pool());
    world.time = begin + dt;
  }

  World world;
  bool watched = true;  // overlaps are asked for
  double overlap = 0;   // the largest after any substep, if it was more than a fiftieth of the thinnest feature
  double way = 0;       // the longest in a substep of points of two grains that may touch, or of one on the floor
  double thinnest() const { return tables_.pair(0, 0).overlap_limit; }
  double gap(std::uint32_t i, std::uint32_t j) const { return exact_.gap(world, i, j); }

 private:
  void look(double time) {
    const Bodies& b = world.bodies;
    std::vector<Vec2d> moved;
    std::vector<double> turned;
    for (std::size_t k = 0; k < b.size(); ++k) {
      moved.push_back(b.x[k] - before_.x[k]);
      turned.push_back(tables_.radius(b.type[k]) * std::abs(b.theta[k] - before_.theta[k]));
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
      const double reach = tables_.radius(b.type[i]);
      if (!world.walls.empty() && b.x[i].y < reach && lowest(i) < 0) way = std::max(way, norm(moved[i]) + turned[i]);
      for (std::size_t j = 0; j < i; ++j) {
        // The shortest distance of their centres in this substep.
        const Vec2d apart = before_.x[i] - before_.x[j], across = moved[i] - moved[j];
        const double at = norm2(across) > 0 ? std::clamp(-dot(apart, across) / norm2(across), 0.0, 1.0) : 0;
        if (norm(apart + at * across) < reach + tables_.radius(b.type[j]))
          way = std::max(way, norm(across) + turned[i] + turned[j]);
      }
    }
    before_ = b;
    if (watched) overlap = std::max(overlap, exact_.deepest(world, test_pool(), std::max(overlap, 0.02 * thinnest())));
    world.time = time;
  }

  // Height of the lowest point of a grain, with the offset at which the solver holds it.
  double lowest(std::size_t k) const {
    const GrainType& type = world.types[world.bodies.type[k]];
    const Rotation2d turn(world.bodies.theta[k]);
    double low = 0;
    for (const Vec2d p : world.shapes[static_cast<std::size_t>(type.shape)]->outline.loops.front())
      low = std::min(low, type.radius * (turn * p).y);
    return world.bodies.x[k].y + low - 0.002 * type.radius;
  }

  TypeTables tables_;
  ForceTables forces_;
  WallPhase walls_;
  ExactOverlap exact_;
  ImplicitSolver solver_;
  Bodies before_;
};

void expect_nothing_passed(const WatchedSolver& s) {
  EXPECT_LT(s.overlap + 0.5 * s.way, 0.5 * s.thinnest());
  record("overlap", s.overlap);
  record("way", s.way);
  record("half_the_thinnest", 0.5 * s.thinnest());
}

// Two clouds of # fly into each other, each grain at 100 radii a second.
void fire_clouds(int columns, int rows) {
  Worlds w(rough(0.4, 0.2));
  const int hash = w.type(make_named_shape("hash"), 1);
  Rng rng(8);
  for (const double side : {-1.0, 1.0}) {
    for (int k = 0; k < columns * rows; ++k) {
      const Vec2d jitter{rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2)};
      const Vec2d x{side * (3 + 2.5 * (k % columns)), 2.5 * (k / columns)};
      w.body(hash, x + jitter, rng.uniform(-pi, pi), {-100 * side, 0}, rng.uniform(-3, 3));
    }
  }
  w.maps(map_kind("table"), test_pool());
  WatchedSolver s(std::move(w.world), 128);
  const Vec2d before = momentum_of(s.world).linear;
  while (s.world.time < 0.05 * columns) s.step();
  double squares = 0;
  for (const Vec2d v : s.world.bodies.v) squares += norm2(v);
  EXPECT_LT(squares, 0.5 * 1e4 * 2 * columns * rows);  // they did meet, and lost half of their energy
  expect_nothing_passed(s);
  EXPECT_NEAR(norm(momentum_of(s.world).linear - before), 0, 1e-3 * 100 * columns * rows * s.world.types[0].mass);
}

TEST(Tunnelling, AHundredGrainsFiredAtEachOther) { fire_clouds(8, 7); }
TEST(TunnellingSlow, AThousandGrainsFiredAtEachOther) { fire_clouds(20, 25); }

void expect_no_link_passed(const WatchedSolver& s, const Joints& joints) {
  expect_whole(joints, s.world);
  record("ball_and_socket", joints.widest);
  record("mouth", ChainLink::mouth());
  expect_nothing_passed(s);
}

// A lying chain of links, held together by their shape alone, falls by 50 radii.
void drop_lying(int links, double until) {
  WatchedSolver s(chain(Drop::lying, links), 512);
  Joints joints(s.world);
  while (s.world.time < until) {
    s.step();
    joints.look(s.world);
  }
  expect_no_link_passed(s, joints);
}

// The same chain as a column, which comes down upon its foot ever faster. Joints are bent to their stops there. Turned
// beyond it by a hair, a ball has no place in its socket at that angle, and the exact gap, a distance at a fixed angle,
// leaps to how far the ball is from being out: so joints are judged by ball and socket, and gaps are those of others.
void drop_standing(int links, double until) {
  WatchedSolver s(chain(Drop::standing, links), 512);
  s.watched = false;
  Joints joints(s.world);
  while (s.world.time < until) {
    s.step();
    joints.look(s.world);
    for (const Contact& c : s.world.contacts) {
      if (c.a == no_body || std::max(c.a, c.b) - std::min(c.a, c.b) == 1 || -c.gap < 0.5 * s.overlap) continue;
      s.overlap = std::max(s.overlap, -s.gap(c.a, c.b));
    }
  }
  expect_no_link_passed(s, joints);
}

TEST(Tunnelling, AChainOf16LinksDropped) { drop_lying(16, 3.6); }
TEST(Tunnelling, AChainOf60LinksDroppedOnItsEnd) { drop_standing(60, 7); }
TEST(TunnellingSlow, AChainOf500LinksDroppedLying) { drop_lying(500, 6); }
TEST(TunnellingSlow, AChainOf500LinksDroppedOnItsEnd) { drop_standing(500, 16); }

}  // namespace
}  // namespace scree::testing
