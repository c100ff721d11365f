#pragma once
// The fields of every struct in a World, named once: the same list writes and reads HDF5 groups (archive.hpp).
// A field added to a struct in world/ gets one word here, and files hold it.
#include "scree/step/simulation.hpp"
#include "scree/world/world.hpp"

namespace scree {

template <class F>
void fields(F& f, Shape& s) {
  f("name", s.name), f("outline", s.outline), f("natural_radius", s.natural_radius);
  f("flatten_tolerance", s.flatten_tolerance), f("is_disc", s.is_disc), f("area", s.area);
  f("polar_moment", s.polar_moment), f("thinnest", s.thinnest), f("symmetry", s.symmetry), f("hash", s.hash);
}

template <class F>
void fields(F& f, Material& m) {
  f("name", m.name), f("density", m.density), f("friction", m.friction), f("restitution", m.restitution);
  f("normal_damping", m.normal_damping), f("stiffness", m.stiffness), f("tangential_ratio", m.tangential_ratio);
  f("tangential_damping_ratio", m.tangential_damping_ratio), f("rotational_damping", m.rotational_damping);
  f.unless_zero("rolling_friction", m.rolling_friction);
}

template <class F>
void fields(F& f, PairOverride& p) {
  f("material_a", p.material_a), f("material_b", p.material_b), f("friction", p.friction);
  f("restitution", p.restitution), f("normal_damping", p.normal_damping), f("stiffness", p.stiffness);
  f("tangential_ratio", p.tangential_ratio), f("tangential_damping_ratio", p.tangential_damping_ratio);
  f("rotational_damping", p.rotational_damping), f("rolling_friction", p.rolling_friction);
}

template <class F>
void fields(F& f, GrainType& t) {
  f("name", t.name), f("shape", t.shape), f("radius", t.radius), f("material", t.material), f("mass", t.mass);
  f("inertia", t.inertia), f("thinnest", t.thinnest);
}

template <class F>
void fields(F& f, Bodies& b) {
  f("id", b.id), f("type", b.type), f("group", b.group), f("kind", b.kind), f("x", b.x), f("theta", b.theta);
  f("v", b.v), f("omega", b.omega), f("force", b.force), f("torque", b.torque), f("image", b.image);
}

template <class F>
void fields(F& f, Wall& w) {
  f("name", w.name), f("kind", w.kind), f("material", w.material), f("active", w.active), f("normal", w.normal);
  f("radius", w.radius), f("points", w.points), f("closed", w.closed), f("outline", w.outline), f("pose", w.pose);
  f("velocity", w.velocity), f("omega", w.omega), f("anchor", w.anchor);
}

template <class F>
void fields(F& f, Keyframe& k) {
  f("time", k.time), f("angle", k.angle), f("shift", k.shift);
}

template <class F>
void fields(F& f, Motion& m) {
  f("name", m.name), f("kind", m.kind), f("start", m.start), f("duration", m.duration), f("ramp", m.ramp);
  f("velocity", m.velocity), f("centre", m.centre), f("omega", m.omega), f("amplitude", m.amplitude);
  f("angular_amplitude", m.angular_amplitude), f("frequency", m.frequency), f("phase", m.phase);
  f.table("keyframes", m.keyframes), f("running", m.running), f("anchored", m.anchored), f("walls", m.walls),
      f("groups", m.groups);
}

template <class F>
void fields(F& f, MixtureEntry& m) {
  f("type", m.type), f("fraction", m.fraction);
}

template <class F>
void fields(F& f, Placement& p) {
  f("type", p.type), f("x", p.x), f("theta", p.theta), f("v", p.v), f("omega", p.omega);
}

template <class F>
void fields(F& f, Insertion& i) {
  f("name", i.name), f("method", i.method), f.table("list", i.list), f.table("mixture", i.mixture);
  f("sequence", i.sequence), f("region", i.region), f("disc_radius", i.disc_radius), f("clearance", i.clearance),
      f("count", i.count), f("spacing", i.spacing);
  f("jitter", i.jitter), f("rate", i.rate), f("start", i.start), f("stop", i.stop), f("velocity", i.velocity);
  f("omega", i.omega), f("random_angle", i.random_angle), f("angle", i.angle), f("seed", i.seed);
  f("group", i.group), f("kind", i.kind);
  f("enabled", i.enabled), f("inserted", i.inserted), f("draws", i.draws), f("finished", i.finished);
}

template <class F>
void fields(F& f, DeletionZone& z) {
  f("name", z.name), f("box", z.box), f("outside", z.outside), f("deleted", z.deleted);
}

template <class F>
void fields(F& f, Event& e) {
  f("time", e.time), f("action", e.action), f("targets", e.targets), f("gravity", e.gravity), f("done", e.done);
}

template <class F>
void fields(F& f, Gravity& g) {
  f("value", g.value), f("turn_rate", g.turn_rate), f("since", g.since);
}

template <class F>
void fields(F& f, Periodic& p) {
  f("x", p.x), f("y", p.y), f("box", p.box);
}

template <class F>
void fields(F& f, Contact& c) {
  f("a", c.a), f("b", c.b), f("wall", c.wall), f("feature", c.feature), f("gap", c.gap), f("gap_x", c.gap_x);
  f("gap_theta_a", c.gap_theta_a), f("gap_theta_b", c.gap_theta_b), f("normal", c.normal), f("arm_a", c.arm_a);
  f("arm_b", c.arm_b), f("spring", c.spring), f("normal_force", c.normal_force);
  f("tangential_force", c.tangential_force), f("rotational_torque", c.rotational_torque);
}

// Forces are those of the contacts, and parameters those of the materials.
template <class F>
void fields(F& f, Link& l) {
  f("a", l.a), f("b", l.b), f("rows", l.row_count);
  f("gap_x_0", l.rows[0].gap_x), f("gap_theta_a_0", l.rows[0].gap_theta_a), f("gap_theta_b_0", l.rows[0].gap_theta_b);
  f("gap_0", l.rows[0].gap), f("gap_x_1", l.rows[1].gap_x), f("gap_theta_a_1", l.rows[1].gap_theta_a);
  f("gap_theta_b_1", l.rows[1].gap_theta_b), f("gap_1", l.rows[1].gap), f("normal", l.normal), f("arm_a", l.arm_a);
  f("arm_b", l.arm_b), f("sure", l.sure), f("taken_x", l.taken.x), f("taken_y", l.taken.y);
  f("taken_turn_a", l.taken.turn_a), f("taken_turn_b", l.taken.turn_b);
  f.if_there("turn_x", l.turn.x), f.if_there("turn_theta_a", l.turn.theta_a);
  f.if_there("turn_theta_b", l.turn.theta_b), f.if_there("turn_force", l.turn.force);
}

template <class F>
void fields(F& f, LinkedBody& b) {
  f("id", b.id), f("theta", b.theta), f("x", b.x);
}

template <class F>
void fields(F& f, Ledger& l) {
  f("kinetic", l.kinetic), f("gravity", l.gravity), f("elastic", l.elastic), f("normal_damping", l.normal_damping);
  f("friction", l.friction), f("rotational_damping", l.rotational_damping), f("wall_work", l.wall_work);
  f("gravity_work", l.gravity_work), f("inserted", l.inserted), f("initial", l.initial), f("moved", l.moved);
}

template <class F>
void fields(F& f, WatchdogLimits& w) {
  f("max_speed", w.max_speed), f("max_overlap", w.max_overlap), f("enabled", w.enabled);
}

template <class F>
void fields(F& f, ImplicitSettings& s) {
  f("overlap", s.overlap), f("substeps", s.substeps), f("most_substeps", s.most_substeps);
  f.unless_zero("sleep", s.sleep), f.unless_zero("one_plane", s.one_plane);
}

template <class F>
void fields(F& f, StepSettings& s) {
  f("solver", s.solver), f.group("implicit", s.implicit);
  f("dt", s.dt), f("integrator", s.integrator), f("law", s.law), f("device", s.device);
  f("precision", s.precision), f("threads", s.threads), f("skin", s.skin);
  f("skip_queries", s.skip_queries), f("ledger", s.ledger), f.group("watchdog", s.watchdog);
}

// All but shapes, which are shared, and maps, which the cache brings back.
template <class F>
void fields(F& f, World& w) {
  f.list("materials", w.materials), f.list("pair_overrides", w.pair_overrides), f.list("types", w.types);
  f("groups", w.groups), f.group("bodies", w.bodies), f("anchors", w.anchors), f.list("walls", w.walls);
  f.unless_empty("quiet", w.quiet), f.unless_empty("quiet_at", w.quiet_at);
  f.list("motions", w.motions), f.list("insertions", w.insertions), f.list("deletion_zones", w.deletion_zones);
  f.list("events", w.events), f.group("gravity", w.gravity), f.group("periodic", w.periodic);
  f("bounds", w.bounds), f("time", w.time), f("step", w.step), f("next_id", w.next_id);
  f.table("contacts", w.contacts), f("pair_contacts", w.pair_contacts), f.group("ledger", w.ledger);
  f.table_unless_empty("links", w.links), f.table_unless_empty("linked_at", w.linked_at);
}

}  // namespace scree
