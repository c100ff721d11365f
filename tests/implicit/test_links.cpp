#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "scree/base/rng.hpp"
#include "scree/implicit/colouring.hpp"
#include "scree/implicit/link_kernel.hpp"
#include "scree/implicit/link_pack.hpp"

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

TEST(Colouring, NoTwoLinksOfAColourMoveTheSameBody) {
  Rng rng(4);
  std::vector<std::uint8_t> moves(200, 1);
  for (std::size_t k = 180; k < 200; ++k) moves[k] = 0;
  std::vector<Link> links;
  for (int k = 0; k < 700; ++k) {
    const auto a = static_cast<std::uint32_t>(rng.uniform(0, 200)), b = static_cast<std::uint32_t>(rng.uniform(0, 180));
    if (a != b) links.push_back(link_of(a, b));
  }
  Colouring c;
  colour(links, moves, c);
  EXPECT_EQ(std::set(c.order.begin(), c.order.end()).size(), links.size());
  ASSERT_EQ(c.ends.back(), links.size());
  std::size_t begin = 0;
  for (const std::uint32_t end : c.ends) {
    std::set<std::uint32_t> used;
    for (; begin < end; ++begin) {
      const Link& link = links[c.order[begin]];
      for (const std::uint32_t body : {link.a, link.b}) { EXPECT_TRUE(!moves[body] || used.insert(body).second); }
    }
  }
  EXPECT_LT(c.ends.size(), 30u);  // seven links a body
}

TEST(Colouring, ABodyWithMoreLinksThanColoursGetsThemOneByOne) {
  std::vector<Link> links;
  for (std::uint32_t k = 1; k <= 100; ++k) links.push_back(link_of(0, k));
  Colouring c;
  colour(links, std::vector<std::uint8_t>(101, 1), c);
  ASSERT_EQ(c.ends.size(), 100u);
  for (std::size_t k = 0; k < 100; ++k) EXPECT_EQ(c.ends[k], k + 1);
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
