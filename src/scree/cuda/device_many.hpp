#pragma once
// ManyEngine on a backend: a DeviceEngine whose bodies are those of all worlds.
#include "scree/cuda/device_copies.hpp"
#include "scree/cuda/device_states.hpp"
#include "scree/cuda/device_steps.hpp"

namespace scree::gpu {

template <class T, class Backend, class Law>
class DeviceMany final : public ManyEngine, private DeviceEngine<T, Backend, Law> {
 public:
  DeviceMany(const World& world, std::size_t worlds, const EngineSettings& settings);

  void keep(const World& state) override { states_.add(state); }
  void take_up(const std::vector<TakeUp>& which) override;
  std::vector<Trouble> advance_all(const ManyInput& input) override;
  void read(std::span<std::array<double, 3>> places, std::span<std::array<double, 3>> velocities) override;
  void download_world(std::size_t world, World& into) override;

 private:
  using Base = DeviceEngine<T, Backend, Law>;
  template <class X>
  using Array = typename Backend::template Array<X>;
  using Base::backend_;
  using Base::view_;

  void allocate_all(const World& world);
  void upload_news(const ManyInput& input);
  void download_bodies(std::size_t world, Bodies& b);
  void download_contacts(std::size_t world, World& into);

  std::size_t worlds_, each_;
  double before_ = 0;  // steps so far
  DeviceStates<T, Backend> states_;
  std::vector<Trouble> troubles_;
  std::vector<std::uint32_t> taking_up_;  // by world, as on the device
  Array<Trouble> trouble_array_;
  Array<std::uint32_t> state_array_;
  Array<std::array<double, 3>> places_, velocities_;
};

// Contacts with walls that a body can remember. Those of a pair are as many as can be found.
inline constexpr std::size_t most_wall_contacts = 16;

template <class T, class Backend, class Law>
DeviceMany<T, Backend, Law>::DeviceMany(const World& world, std::size_t worlds, const EngineSettings& settings)
    : Base(world, settings, worlds),
      worlds_(worlds),
      each_(world.bodies.size()),
      troubles_(worlds),
      taking_up_(worlds, none) {
  this->settings_.ledger = false;
  if (this->maps_.any_several()) this->several_ = most_pair_contacts;
  trouble_array_.resize(worlds), state_array_.resize(worlds);
  trouble_array_.upload(troubles_);
  state_array_.upload(taking_up_);
  view_.many.count = static_cast<std::uint32_t>(worlds);
  view_.many.bodies = static_cast<std::uint32_t>(each_);
  view_.many.trouble = trouble_array_.data(), view_.many.state = state_array_.data();
  allocate_all(world);
  this->write_control({});
  this->set_views();
}

// Without contacts: states bring theirs.
template <class T, class Backend, class Law>
void DeviceMany<T, Backend, Law>::allocate_all(const World& world) {
  const std::size_t n = worlds_ * each_;
  this->allocate(n);
  const std::vector<std::uint32_t> nothing(n + 1, 0);
  this->list_.row_first.upload(nothing);
  this->list_.pair_first.upload(nothing);
  this->walls_.start(n, most_wall_contacts);
  places_.resize(n), velocities_.resize(n);
  std::vector<std::int32_t> driven(n, -1);
  this->driven_count_ = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (world.bodies.kind[k % each_] == BodyKind::kinematic)
      driven[k] = static_cast<std::int32_t>(this->driven_count_++);
  }
  if (this->driven_count_ == 0) return;
  this->driven_place_.resize(n);
  this->driven_place_.upload(driven);
}

template <class T, class Backend, class Law>
void DeviceMany<T, Backend, Law>::take_up(const std::vector<TakeUp>& which) {
  if (which.empty()) return;
  Control c = this->read_control();
  c.stale = 1;
  this->write_control(c);
  for (const TakeUp& t : which) {
    taking_up_[t.world] = t.state;
    troubles_[t.world] = {};
  }
  state_array_.upload(taking_up_);
  trouble_array_.upload(troubles_);
  if (states_.send()) {
    view_.many.states = states_.view();
    this->set_views();
  }
  backend_.launch(TakeUpBodies<T>{view_}, this->count_);
  backend_.finish();
}

template <class T, class Backend, class Law>
void DeviceMany<T, Backend, Law>::upload_news(const ManyInput& input) {
  const std::size_t moved = input.driven.size() / input.rows;
  if (this->script_.reserve(input.rows, worlds_, moved)) {
    this->walls_.reserve_steps(this->script_.rows());
    this->set_views();
  }
  this->script_.upload(input.scripts, input.driven);
  this->walls_.upload_states(input.walls, input.glides);
  if (moved > 0) backend_.launch(DriveBodies<T>{view_}, this->count_);
}

template <class T, class Backend, class Law>
std::vector<Trouble> DeviceMany<T, Backend, Law>::advance_all(const ManyInput& input) {
  Control c = this->read_control();
  if (input.news) upload_news(input);
  c.row_step = input.rows > 1 ? 1 : 0;
  c.before = before_;
  this->play(c, input.steps);
  before_ += static_cast<double>(input.steps);
  taking_up_.assign(worlds_, none);
  trouble_array_.download(troubles_);
  const std::vector<Trouble> now = troubles_;
  bool any = false;
  for (Trouble& t : troubles_) {
    any = any || (t.since != none && t.since > 0);
    if (t.since != none) t.since = 0;
  }
  if (any) trouble_array_.upload(troubles_);
  return now;
}

template <class T, class Backend, class Law>
void DeviceMany<T, Backend, Law>::read(std::span<std::array<double, 3>> places,
                                       std::span<std::array<double, 3>> velocities) {
  backend_.launch(ReadBodies<T>{view_, places_.data(), velocities_.data()}, this->count_);
  backend_.finish();
  places_.download(places);
  velocities_.download(velocities);
}

template <class T, class Backend, class Law>
void DeviceMany<T, Backend, Law>::download_world(std::size_t world, World& into) {
  backend_.finish();
  download_bodies(world, into.bodies);
  into.contacts.clear();
  into.pair_contacts = 0;
  if (troubles_[world].since == none) download_contacts(world, into);
}

template <class T, class Backend, class Law>
void DeviceMany<T, Backend, Law>::download_bodies(std::size_t world, Bodies& b) {
  HostBodies<T> host(each_);
  const std::size_t first = world * each_;
  this->bodies_.placed.download(host.placed, first);
  this->bodies_.moving.download(host.moving, first);
  this->bodies_.index.download(host.index, first);
  this->bodies_.force.download(host.force, first);
  this->bodies_.torque.download(host.torque, first);
  this->image_.download(b.image, first);
  for (std::size_t k = 0; k < each_; ++k) put_body(host, k, host.index[k] - first, b);
}

template <class T, class Backend, class Law>
void DeviceMany<T, Backend, Law>::download_contacts(std::size_t world, World& into) {
  const Control control = this->read_control();
  const std::size_t first = world * each_, several = this->several_;
  std::vector<std::uint32_t> index(each_), slot(each_), pair_first(each_ + 1);
  this->bodies_.index.download(index, first);
  this->list_.pair_first.download(pair_first, first);
  const std::size_t begin = pair_first.front(), pairs = pair_first.back() - begin;
  std::vector<std::array<std::uint32_t, 2>> ends(pairs);
  std::vector<float> clear(pairs);
  std::vector<Memory<T>> memory(pairs * several);
  std::vector<Record<T>> record(pairs * several);
  this->list_.ends.download(ends, begin);
  this->list_.clear.download(clear, begin);
  this->list_.memory.download(memory, begin * several);
  this->get(view_.list.record + begin * several, record);
  const auto body = [&](std::uint32_t at) { return index[at - first] - static_cast<std::uint32_t>(first); };
  for (std::uint32_t k = 0; k < each_; ++k) slot[index[k] - first] = k;
  for (const std::uint32_t k : slot) {
    for (std::size_t p = pair_first[k] - begin; p < pair_first[k + 1] - begin; ++p) {
      if (!(clear[p] < 0)) continue;
      for (std::size_t s = p * several; s < (p + 1) * several && memory[s].feature != none; ++s)
        into.contacts.push_back(contact_of(record[s], body(ends[p][0]), body(ends[p][1]), memory[s].feature));
    }
  }
  into.pair_contacts = into.contacts.size();
  this->walls_.download(slot, control.side, into, first);
}

}  // namespace scree::gpu
