#pragma once
// DeviceEngine: the stages of a step in their order, and many steps.
#include "scree/cuda/device_engine.hpp"
#include "scree/cuda/many_stages.hpp"

namespace scree::gpu {

template <class T, class Backend, class Law>
Control DeviceEngine<T, Backend, Law>::read_control() {
  Control c;
  backend_.finish();
  control_.download({&c, 1});
  return c;
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::write_control(const Control& c) {
  control_.upload({&c, 1});
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::build_list() {
  const std::size_t n = count_;
  backend_.reduce(LayOutCells<T>{view_, build_});
  backend_.launch(FindKeys<T>{view_, build_}, n);
  backend_.sort(build_.key, build_.order, n);
  backend_.launch(ClearCells<T>{build_}, build_.cell_capacity + 1);
  backend_.launch(FindCells<T>{view_, build_}, n);
  backend_.launch(CountPartners<T>{view_, build_}, n + 1);
  backend_.sum_before(build_.rows, n + 1);
  backend_.sum_before(build_.owned, n + 1);
  const bool walls = walls_.count() > 0;
  if (walls) {
    backend_.launch(PlaceElements<T>{view_}, walls_.total());
    backend_.launch(CountNearWalls<T>{view_, build_}, n + 1);
    backend_.sum_before(walls_.near_count(), n + 1);
    backend_.sum_before(walls_.near_some(), n + 1);
  }
  backend_.launch(CheckCapacity<T>{view_, build_}, 1);
  backend_.launch(KeepBodies<T>{view_, build_}, n + 1);
  backend_.launch(KeepPairs<T>{view_, build_}, pair_capacity_);
  backend_.launch(KeepRows<T>{view_, build_}, row_capacity_);
  if (walls) {
    backend_.launch(KeepNearWalls<T>{view_, build_}, n + 1);
    backend_.launch(KeepWallMemory<T>{view_, build_}, walls_.near_capacity() * walls_.slots());
  }
  backend_.launch(OrderBodies<T>{view_, build_}, n + 1);
  backend_.launch(FillRows<T>{view_, build_}, n);
  backend_.launch(FillPairs<T>{view_, build_}, n);
  if (walls) backend_.launch(FillNearWalls<T>{view_, build_}, n);
  lay_out_asked(view_.nets, MapKind::neural);
  lay_out_asked(view_.references, MapKind::reference);
  backend_.launch(FinishList<T>{view_}, 1);
  if (view_.many.count > 0) backend_.launch(HaveTakenUp<T>{view_}, view_.many.count);
}

template <class T, class Backend, class Law>
template <class Real>
void DeviceEngine<T, Backend, Law>::lay_out_asked(const AskView<Real>& ask, MapKind kind) {
  if (ask.map_count == 0) return;
  backend_.launch(ClearAsked<Real>{ask}, ask.map_count);
  backend_.launch(CountAsked<T, Real>{view_, ask, kind}, pair_capacity_);
  backend_.launch(LayOutAsked<Real>{ask}, 1);
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::ask_maps() {
  const auto lay_down = [&]<class Real>(const AskView<Real>& ask, MapKind kind) {
    backend_.launch(ClearAsked<Real>{ask}, ask.map_count);
    backend_.launch_open(AskStage<T, Real>{view_, ask, kind, settings_.skip}, pair_capacity_);
  };
  if (maps_.nets()) {
    lay_down(view_.nets, MapKind::neural);
    backend_.ask(*maps_.nets(), view_.nets, pair_capacity_);
  }
  if (!maps_.references().empty()) {
    lay_down(view_.references, MapKind::reference);
    backend_.ask_host(maps_.references(), view_.references, pair_capacity_);
  }
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::step(bool record) {
  const double dt = settings_.dt;
  const bool verlet = settings_.velocity_verlet;
  const bool ledger = settings_.ledger;
  if (verlet) {
    backend_.launch(BodyStage<T>{view_, false, 0.5 * dt, dt}, count_);
    if (ledger) backend_.reduce(LedgerStage<T>{view_, 0.5 * dt, 0, true, 0});
  }
  const bool walls = walls_.count() > 0;
  if (walls) backend_.launch(PlaceWalls<T>{view_, dt, verlet ? 1u : 0u}, walls_.total());
  backend_.launch(BeginStep<T>{view_}, 1);
  backend_.when(&view_.control->rebuild, [&] { build_list(); });
  ask_maps();
  if (maps_.kinds() == Kinds::discs) {
    backend_.launch_open(PairStage<T, Law, Kinds::discs>{view_, dt, settings_.skip, record}, pair_capacity_);
  } else if (maps_.kinds() == Kinds::all) {
    backend_.launch_open(PairStage<T, Law, Kinds::all>{view_, dt, settings_.skip, record}, pair_capacity_);
  } else if (maps_.any_single()) {
    backend_.launch_open(PairStage<T, Law, Kinds::tables>{view_, dt, settings_.skip, record}, pair_capacity_);
  }
  if (maps_.any_several()) {
    backend_.launch_nodes(RunStage<T>{view_, settings_.skip}, pair_capacity_);
    backend_.launch_together(pair_capacity_, SeveralStage<T, Law, tangled>{view_, dt, record},
                             SeveralStage<T, Law, fourfold>{view_, dt, record},
                             SeveralStage<T, Law, twice>{view_, dt, record},
                             SeveralStage<T, Law, once>{view_, dt, record});
  }
  if (walls) backend_.launch(WallStage<T, Law>{view_, dt}, walls_.near_capacity());
  backend_.launch(BodyStage<T>{view_, true, verlet ? 0.5 * dt : dt, verlet ? 0 : dt, verlet ? 1u : 0u}, count_);
  if (ledger) backend_.reduce(LedgerStage<T>{view_, verlet ? 0.5 * dt : dt, verlet ? 1u : 0u, !verlet, 1});
  backend_.launch(EndStep<T>{view_, record}, 1);
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::grow() {
  const Control c = read_control();
  const auto ample = [](std::size_t n) { return n + n / 8 + 32; };
  reserve_pairs(ample(c.wanted.rows), ample(c.wanted.pairs));
  walls_.reserve(ample(c.wanted.near), ample(c.wanted.entries));
  set_views();
}

template <class T, class Backend, class Law>
Outcome DeviceEngine<T, Backend, Law>::advance(const std::vector<StepInput>& inputs) {
  upload_inputs(inputs);
  return play(read_control(), inputs.size() - 1);
}

// `c` is what the device has, but for what is set here.
template <class T, class Backend, class Law>
Outcome DeviceEngine<T, Backend, Law>::play(Control c, std::size_t steps) {
  c.step = c.rebuilds = 0;
  c.steps = static_cast<std::uint32_t>(steps);
  c.halt = c.steps == 0 ? halt_done : 0u;
  write_control(c);
  while (!(c.halt & ~static_cast<std::uint32_t>(halt_grow))) {
    const std::size_t left = c.steps - c.step;
    if (left > 1) backend_.play(0, left - 1, [&] { step(settings_.ledger); });
    backend_.play(1, 1, [&] { step(true); });
    c = read_control();
    if (c.halt & halt_grow) {
      grow();
      c.halt = 0;
      write_control(c);
    }
  }
  if (c.most_several > several_ || c.most_wall_contacts > walls_.slots()) remember_more(c);
  return outcome_of(c);
}

// Contacts beyond what can be remembered have had their force, but begin anew in the next step: so that this happens
// once, and not again.
template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::remember_more(const Control& c) {
  std::size_t wanted = several_;
  while (wanted < c.most_several) wanted *= 2;
  if (wanted > several_) {
    std::vector<Memory<T>> memory(c.pairs * several_);
    std::vector<Record<T>> record(c.pairs * several_);
    list_.memory.download(memory);
    get(view_.list.record, record);
    const auto widened = [&](const auto& narrow) {
      std::remove_cvref_t<decltype(narrow)> wide(c.pairs * wanted);
      for (std::size_t p = 0; p < c.pairs; ++p)
        std::copy_n(narrow.begin() + static_cast<std::ptrdiff_t>(p * several_), several_,
                    wide.begin() + static_cast<std::ptrdiff_t>(p * wanted));
      return wide;
    };
    memory = widened(memory);
    record = widened(record);
    several_ = wanted;
    list_.memory.resize(pair_capacity_ * several_);
    list_.memory.upload(memory);
    set_views();
    put(view_.list.record, record);
  }
  walls_.remember(c.most_wall_contacts, c.near, c.side);
  set_views();
}

}  // namespace scree::gpu
