#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scree/base/rng.hpp"
#include "scree/implicit/link_kernel.hpp"
#include "scree/implicit/link_pack.hpp"
#include "scree/implicit/sweep_order.hpp"
#include "scree/implicit/turn_kernel.hpp"

namespace scree {
namespace {

Link link_of(std::uint32_t a, std::uint32_t b) {
  Link link;
  link.a = a, link.b = b;
  link.row_count = 1;
  link.rows[0].gap_x = {1, 0};
  link.normal = {1, 0};
  return link;
}

// A bed of `wide` by `high` grains, each linked with its neighbours, the lowest ones with a wall.
struct Bed {
  std::vector<Vec2d> at;
  std::vector<std::uint8_t> moves;
  std::vector<Link> links;

  Bed(std::uint32_t wide, std::uint32_t high) : moves(wide * high + 1, 1) {
    moves.back() = 0;
    const std::uint32_t wall = wide * high;
    for (std::uint32_t k = 0; k < wall; ++k) {
      const std::uint32_t x = k % wide, y = k / wide;
      at.push_back({1.0 * x, 1.0 * y});
      if (x + 1 < wide) links.push_back(link_of(k, k + 1));
      if (y + 1 < high) links.push_back(link_of(k, k + wide));
      if (x + 1 < wide && y + 1 < high) links.push_back(link_of(k, k + wide + 1));
    }
    for (std::uint32_t x = 0; x < wide; ++x) links.push_back(link_of(wall, x));
  }
};

std::vector<std::uint32_t> lanes_of(const SweepOrder& order) {
  std::vector<std::uint32_t> lanes;
  for (std::size_t k = 0; k < order.packs() * pack_lanes; ++k) lanes.push_back(order.link_at(k));
  return lanes;
}

// Adds the bodies that a pack moves; false if one of them is there already.
bool add_movers(const SweepOrder& order, const Bed& bed, std::size_t pack, std::set<std::uint32_t>& movers) {
  bool all = true;
  for (std::size_t k = pack * pack_lanes; k < (pack + 1) * pack_lanes; ++k) {
    if (order.link_at(k) == SweepOrder::no_link) continue;
    const Link& link = bed.links[order.link_at(k)];
    for (const std::uint32_t body : {link.a, link.b}) all = all && (!bed.moves[body] || movers.insert(body).second);
  }
  return all;
}

// The bodies that a thread moves in a phase.
std::set<std::uint32_t> movers_of(const SweepOrder& order, const Bed& bed, std::size_t phase, std::size_t thread) {
  std::set<std::uint32_t> movers;
  const auto [first, last] = order.share(phase, thread);
  for (std::size_t pack = first; pack < last; ++pack) add_movers(order, bed, pack, movers);
  return movers;
}

void expect_fit_to_sweep(const SweepOrder& order, const Bed& bed) {
  for (std::size_t k = 0; k < bed.links.size(); ++k) ASSERT_EQ(order.link_at(order.lane_of(k)), k);
  const std::vector<std::uint32_t> lanes = lanes_of(order);
  ASSERT_EQ(static_cast<std::size_t>(std::ranges::count(lanes, SweepOrder::no_link)) + bed.links.size(), lanes.size());
  for (std::size_t pack = 0; pack < order.packs(); ++pack) {
    std::set<std::uint32_t> movers;
    ASSERT_TRUE(add_movers(order, bed, pack, movers)) << "pack " << pack;
  }
  std::size_t next = 0;
  for (std::size_t phase = 0; phase < order.phases(); ++phase) {
    std::set<std::uint32_t> of_others;
    for (std::size_t t = 0; t < order.threads(); ++t) {
      ASSERT_EQ(order.share(phase, t).first, next);
      next = order.share(phase, t).second;
      for (const std::uint32_t body : movers_of(order, bed, phase, t))
        ASSERT_TRUE(of_others.insert(body).second) << "body " << body << " in phase " << phase;
    }
  }
  ASSERT_EQ(next, order.packs());
}

TEST(SweepOrder, NeitherPacksNorThreadsMoveABodyTwice) {
  Bed bed(60, 90);
  for (std::size_t k = 0; k < bed.at.size(); k += 97) bed.moves[k] = 0;
  std::vector<std::uint32_t> first;
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    SweepOrder order;
    order.arrange(bed.links, bed.at, bed.moves, pool);
    expect_fit_to_sweep(order, bed);
    EXPECT_EQ(order.threads(), static_cast<std::size_t>(threads));
    EXPECT_EQ(order.phases(), 2u);  // slabs, borders
    if (first.empty()) first = lanes_of(order);
    EXPECT_EQ(lanes_of(order), first) << threads << " threads";
  }
}

TEST(SweepOrder, TwoThreadsHaveHalfOfTheWorkEach) {
  for (const auto& [wide, high] : {std::pair(200u, 25u), std::pair(25u, 200u), std::pair(70u, 70u)}) {
    const Bed bed(wide, high);
    ThreadPool pool(2);
    SweepOrder order;
    order.arrange(bed.links, bed.at, bed.moves, pool);
    std::size_t longer = 0;
    for (std::size_t phase = 0; phase < order.phases(); ++phase) {
      std::size_t most = 0;
      for (std::size_t t = 0; t < 2; ++t)
        most = std::max(most, order.share(phase, t).second - order.share(phase, t).first);
      longer += most;
    }
    EXPECT_LT(static_cast<double>(longer), 0.54 * static_cast<double>(order.packs())) << wide << " x " << high;
  }
}

// Grains at the two ends of a periodic domain are neighbours.
TEST(SweepOrder, ABedMayCloseToARing) {
  Bed bed(200, 30);
  for (std::uint32_t y = 0; y < 30; ++y) bed.links.push_back(link_of(200 * y, 200 * y + 199));
  std::ranges::stable_sort(bed.links, {}, [](const Link& link) { return link.a == 6000; });
  ThreadPool pool(2);
  SweepOrder order;
  order.arrange(bed.links, bed.at, bed.moves, pool);
  expect_fit_to_sweep(order, bed);
  EXPECT_EQ(order.phases(), 2u);
}

// A slab may be so thin that a grain has links across both of its borders.
TEST(SweepOrder, BordersThatTouchAreNotSweptSideBySide) {
  Bed bed(2000, 4);
  for (std::uint32_t k = 0; k + 8 < 8000; ++k) {
    for (std::uint32_t far = 2; far < 8; ++far) bed.links.push_back(link_of(k, k + far));
  }
  for (std::size_t k = 0; k < bed.at.size(); ++k) bed.at[k] = {static_cast<double>(k % 40), 0};
  ThreadPool pool(3);
  SweepOrder order;
  order.arrange(bed.links, bed.at, bed.moves, pool);
  expect_fit_to_sweep(order, bed);
  EXPECT_GE(order.phases(), 3u);
}

TEST(SweepOrder, LinksAnywhereAreForOneThread) {
  Bed bed(60, 90);
  Rng rng(4);
  const auto any = [&] { return static_cast<std::uint32_t>(rng.uniform(0, 5400)); };
  for (const int strangers : {200, 20000}) {
    for (int k = 0; k < strangers; ++k) {
      const std::uint32_t a = any(), b = any();
      if (a != b) bed.links.push_back(link_of(a, b));
    }
    ThreadPool pool(4);
    SweepOrder order;
    order.arrange(bed.links, bed.at, bed.moves, pool);
    expect_fit_to_sweep(order, bed);
    if (strangers > 1000) {
      EXPECT_EQ(order.threads(), 2u);  // where one in twenty is too many, there are fewer slabs
    } else {
      ASSERT_EQ(order.phases(), 4u);
      int busy = 0;
      for (std::size_t t = 0; t < order.threads(); ++t) busy += !movers_of(order, bed, 3, t).empty();
      EXPECT_EQ(busy, 1);
    }
  }
}

TEST(SweepOrder, ABodyWithMoreLinksThanColoursGetsThemOneByOne) {
  Bed bed(11, 10);
  bed.links.clear();
  for (std::uint32_t k = 1; k <= 100; ++k) bed.links.push_back(link_of(0, k));
  ThreadPool pool(2);
  SweepOrder order;
  order.arrange(bed.links, bed.at, bed.moves, pool);
  expect_fit_to_sweep(order, bed);
  EXPECT_EQ(order.packs(), 100u);
}

TEST(SweepOrder, GrainsThatAreNowhereHaveTheirLinksTooUntilTheRunIsStopped) {
  Bed bed(60, 90);
  for (std::size_t k = 0; k < bed.at.size(); k += 2) bed.at[k].x = std::nan("");
  ThreadPool pool(2);
  SweepOrder order;
  order.arrange(bed.links, bed.at, bed.moves, pool);
  expect_fit_to_sweep(order, bed);
}

TEST(SweepOrder, NothingNeedsNoOrder) {
  const Bed bed(3, 2);
  ThreadPool pool(2);
  SweepOrder order;
  order.arrange({}, bed.at, bed.moves, pool);
  EXPECT_EQ(order.packs(), 0u);
  EXPECT_EQ(order.phases(), 0u);
}

// Whatever way the bodies take: planes that are due are found in single precision too, and few others are.
TEST(PackWatch, NoPlanesThatAreDueAreMissed) {
  Rng rng(7);
  const LinkLimits limits{0.006, 0.04};
  const double radius_a = 1.3, radius_b = 0.7;
  int due = 0, asked = 0;
  for (int n = 0; n < 20000; ++n) {
    const auto any = [&](double most) { return rng.uniform(-most, most); };
    const auto some = [&](double most) { return static_cast<float>(any(most)); };
    Link link = link_of(0, 1);
    link.row_count = 1 + n % 2;
    link.sure = any(0.1);
    link.taken = {some(0.1), some(0.1), some(0.1), some(0.1)};
    for (LinkRow& row : link.rows) {
      row.gap_x = {any(1), any(1)};
      row.gap_theta_a = any(1), row.gap_theta_b = any(1);
      row.gap = link.sure + any(0.02);
    }
    PackWatch watch;
    LinkPack pack;
    pack.set(0, link, link.taken, {1, 1}, {1, 1}, 0.01);
    watch.set(0, link, radius_a, radius_b,
              way_until_due(link.sure, link.rows, link.row_count, radius_a, radius_b, limits));
    for (std::size_t lane = 1; lane < pack_lanes; ++lane) pack.clear(lane, 2), watch.clear(lane);
    std::vector<SolverBody> bodies(3);
    const float far = static_cast<float>(std::exp2(rng.uniform(-10, -3)));
    const Shift now{link.taken.x + some(far), link.taken.y + some(far), link.taken.turn_a + some(far),
                    link.taken.turn_b + some(far)};
    bodies[0].moved[2] = now.turn_a;
    bodies[1].moved[0] = now.x, bodies[1].moved[1] = now.y, bodies[1].moved[2] = now.turn_b;
    const Shift by{now.x - link.taken.x, now.y - link.taken.y, now.turn_a - link.taken.turn_a,
                   now.turn_b - link.taken.turn_b};
    const double way = way_of(by, radius_a, radius_b);
    double least = link.sure - way;
    for (int r = 0; r < link.row_count; ++r)
      least = std::min(least,
                       link.rows[static_cast<std::size_t>(r)].gap + link.rows[static_cast<std::size_t>(r)].along(by));
    const std::uint32_t lanes = may_be_due(watch, pack, bodies);
    if (planes_are_due(way, least, limits)) {
      ++due;
      EXPECT_EQ(lanes, 1u);
    }
    EXPECT_LE(lanes, 1u);
    asked += lanes != 0;
  }
  EXPECT_GT(due, 5000);
  EXPECT_LT(asked, due + due / 2);
}

struct Pair {
  LinkPack pack;
  std::vector<SolverBody> bodies = std::vector<SolverBody>(3);
  Mobility a{2, 3}, b{0.5, 0.7};
  SweepSettings settings{0.01f, 100, soft_contact(100.f, 0.01f)};

  void set(const Link& link) {
    pack.set(0, link, link.taken, a, b, 0.01);
    for (std::size_t lane = 1; lane < pack_lanes; ++lane) pack.clear(lane, 2);
  }
  double momentum() const { return bodies[0].v[0] / a.inverse_mass + bodies[1].v[0] / b.inverse_mass; }
};

TEST(LinkPack, AnImpactStopsTheApproachAndKeepsMomentum) {
  Pair p;
  Link link = link_of(0, 1);
  link.rows[0].gap_theta_a = 0.4, link.rows[0].gap_theta_b = -0.3;
  p.set(link);
  p.bodies[0].v[0] = 2, p.bodies[1].v[0] = -1, p.bodies[1].v[2] = 0.5;
  const double before = p.momentum();
  sweep_rigid(p.pack, p.settings, true, true, p.bodies);
  const auto& va = p.bodies[0].v;
  const auto& vb = p.bodies[1].v;
  EXPECT_NEAR(vb[0] - va[0] + 0.4 * va[2] - 0.3 * vb[2], 0, 1e-6);
  EXPECT_NEAR(p.momentum(), before, 1e-6);
  EXPECT_GT(p.pack.row[0].impulse[0], 0);
}

TEST(LinkPack, AnOpenGapIsClosedAndNotMore) {
  Pair p;
  Link link = link_of(0, 1);
  link.rows[0].gap = 0.01;
  p.set(link);
  p.bodies[0].v[0] = 3;
  sweep_soft(p.pack, p.settings, true, p.bodies);
  EXPECT_NEAR(p.bodies[0].v[0] - p.bodies[1].v[0], 0.01 / 0.01, 1e-5);
}

// On a hollow of curvature k a normal turns by k a length, against what moves along it; on a hill with it.
TEST(LinkTurn, OnAHollowTheForceTurnsAgainstTheMotion) {
  const double k = 0.3, renewal = 0.002;
  const Mobility a{}, b{1, 0};
  for (const double sign : {1.0, -1.0}) {
    for (const float way : {0.0005f, 0.0015f, 0.003f, 0.005f}) {
      const LinkRow from{{0, 1}, 0, 0, 0, 2}, to{{-sign * k * way, 1}, 0, 0, 0, 2};
      const LinkTurn turn = turn_to_come(&from, &to, 1, {way, 0, 0, 0}, double(way), renewal, a, b);
      // A lag is no longer than what goes before planes are taken anew; bodies that fast have none.
      const double lag = way < renewal ? double(way) : renewal * std::max(0.0, 2 - way / renewal);
      const double most = sign > 0 ? k * lag : 0;
      EXPECT_NEAR(turn.x.x, -most, 1e-12);
      EXPECT_EQ(turn.x.y, 0);
      LinkTurn before = turn;
      before.force = -1.5;
      EXPECT_NEAR(handed_on(before, turn, 2.0, a, b), most > 0 ? -1.5 : 0, 1e-12);
      EXPECT_NEAR(handed_on(before, turn, 1.0, a, b), most > 0 ? -1 : 0, 1e-12);
    }
  }
}

// It takes from the motion what the force times the turn allows, and no more than there is.
TEST(LinkPack, ATurnResistsWithinTheForce) {
  Link link = link_of(0, 1);
  link.row_count = 1;
  link.rows[0] = {{0, 1}, 0, 0, -0.001, 0};
  link.rows[0].force = 50;
  link.turn.x = {-0.002, 0};
  for (const float speed : {1.0f, 1e-5f}) {
    Pair pair;
    pair.a = {};
    pair.set(link);
    pair.bodies[1].v[0] = speed;
    sweep_rigid(pair.pack, pair.settings, false, true, pair.bodies);
    sweep_rigid(pair.pack, pair.settings, false, false, pair.bodies);
    const float taken = speed - pair.bodies[1].v[0], most = 0.002f * pair.pack.row[0].impulse[0] * 0.5f;
    EXPECT_GT(pair.pack.row[0].impulse[0], 0);
    EXPECT_NEAR(taken, std::min(speed, most), 1e-7);
  }
}

TEST(LinkPack, FrictionStopsSlidingWithinTheCone) {
  for (const double mu : {10.0, 0.1}) {
    Pair p;
    Link link = link_of(0, 1);
    link.friction = mu;
    link.arm_a = -1, link.arm_b = -1;
    link.rows[0].force = 50;
    p.set(link);
    p.bodies[1].v[1] = 2;
    sweep_rigid(p.pack, p.settings, true, true, p.bodies);
    const auto& va = p.bodies[0].v;
    const auto& vb = p.bodies[1].v;
    const double slide = vb[1] - va[1] - va[2] - vb[2];
    const double tangential = p.pack.tangent_impulse[0];
    if (mu > 1) {
      EXPECT_NEAR(slide, 0, 1e-6);
    } else {
      EXPECT_NEAR(std::abs(tangential), 0.1 * 0.5, 1e-6);
      EXPECT_GT(slide, 0);
    }
  }
}

// What a row gives way under a steady force is F kappa / omega^2, whatever the substep.
TEST(LinkPack, DepthUnderLoadIsThatOfASpring) {
  for (const double h : {0.01, 0.004, 0.001}) {
    Pair p;
    p.a = {};
    const double omega = 100, force = 30, kappa = p.b.inverse_mass;
    p.settings = {static_cast<float>(h), 100, soft_contact(static_cast<float>(omega), static_cast<float>(h))};
    p.set(link_of(0, 1));
    for (int k = 0; k < 4000; ++k) {
      p.bodies[1].v[0] -= static_cast<float>(force * kappa * h);
      warm_start(p.pack, true, p.bodies);
      sweep_soft(p.pack, p.settings, true, p.bodies);
      p.bodies[1].moved[0] += static_cast<float>(h) * p.bodies[1].v[0];
      sweep_rigid(p.pack, p.settings, true, true, p.bodies);
    }
    EXPECT_NEAR(p.bodies[1].moved[0], -force * kappa / (omega * omega), 2e-3 * force * kappa / (omega * omega)) << h;
    EXPECT_NEAR(p.pack.row[0].impulse[0], force * h, 1e-4 * force * h) << h;
  }
}

TEST(LinkPack, FasterImpactsRebound) {
  for (const float speed : {3.f, 0.1f}) {
    Pair p;
    Link link = link_of(0, 1);
    link.restitution = 0.5;
    p.set(link);
    p.bodies[0].v[0] = speed;
    EXPECT_EQ(note_approach(p.pack, 1, p.bodies), speed > 1);
    sweep_rigid(p.pack, p.settings, true, true, p.bodies);
    rebound(p.pack, 1, p.bodies);
    EXPECT_NEAR(p.bodies[1].v[0] - p.bodies[0].v[0], speed > 1 ? 0.5 * speed : 0, 1e-6);
  }
}

}  // namespace
}  // namespace scree
