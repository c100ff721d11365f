#include "scree/record/trajectory.hpp"

#include <algorithm>

#include "scree/record/archive.hpp"
#include "scree/record/world_fields.hpp"

namespace scree {

namespace {

// Frames a chunk of the per-frame datasets; small, because an unfinished chunk is rewritten in place at every frame.
constexpr hsize_t frame_chunk = 64;

// The numbers of a Ledger as a row, by the field list.
struct RowOut {
  std::vector<double> row;
  void operator()(const char*, double value) { row.push_back(value); }
};
struct RowIn {
  const double* next;
  void operator()(const char*, double& value) { value = *next++; }
};
struct RowNames {
  std::vector<std::string> names;
  void operator()(const char* name, double) { names.emplace_back(name); }
};

template <class Visitor>
Visitor visited(Visitor visitor, Ledger ledger) {
  fields(visitor, ledger);
  return visitor;
}

// Velocities and forces are kept in single precision: nobody restarts from a trajectory, and it halves the file.
std::vector<float> singles(const std::vector<Vec2d>& values) {
  std::vector<float> out;
  out.reserve(2 * values.size());
  for (Vec2d v : values) out.push_back(static_cast<float>(v.x)), out.push_back(static_cast<float>(v.y));
  return out;
}

std::vector<float> singles(const std::vector<double>& values) {
  std::vector<float> out;
  out.reserve(values.size());
  for (double v : values) out.push_back(static_cast<float>(v));
  return out;
}

template <class Get>
auto column(const std::vector<FrameContact>& contacts, Get get) {
  std::vector<decltype(get(contacts[0]))> out;
  out.reserve(contacts.size());
  for (const FrameContact& c : contacts) out.push_back(get(c));
  return out;
}

template <class F>
void static_fields(F& f, Statics& s) {
  f.list("shapes", s.shapes), f.list("types", s.types), f.list("materials", s.materials);
  f("groups", s.groups), f.list("walls", s.walls), f.group("periodic", s.periodic);
}

}  // namespace

struct TrajectoryWriter::Impl {
  std::filesystem::path path;
  h5::Handle file, frames_group, grains_group, contacts_group;
  hsize_t walls = 0;
  std::size_t count = 0;
  std::uint64_t grain_end = 0, contact_end = 0;
  std::vector<h5::Column> per_frame, per_grain, per_contact;

  // Walls come last among the per-frame columns, and only when there are any.
  void add_columns(hsize_t grains, std::size_t ledger_width) {
    const auto add = [&](std::vector<h5::Column>& to, hid_t group, const char* name, hid_t type, hsize_t width,
                         hsize_t chunk) {
      to.emplace_back(group, name, type, width, chunk, chunk != frame_chunk, path);
    };
    const hid_t f = frames_group, g = grains_group, c = contacts_group;
    add(per_frame, f, "time", H5T_NATIVE_DOUBLE, 1, frame_chunk);
    add(per_frame, f, "step", H5T_NATIVE_UINT64, 1, frame_chunk);
    add(per_frame, f, "gravity", H5T_NATIVE_DOUBLE, 2, frame_chunk);
    add(per_frame, f, "ledger", H5T_NATIVE_DOUBLE, ledger_width, frame_chunk);
    add(per_frame, f, "grain_end", H5T_NATIVE_UINT64, 1, frame_chunk);
    add(per_frame, f, "contact_end", H5T_NATIVE_UINT64, 1, frame_chunk);
    if (walls > 0) add(per_frame, f, "wall_pose", H5T_NATIVE_DOUBLE, 3 * walls, frame_chunk);
    if (walls > 0) add(per_frame, f, "wall_active", H5T_NATIVE_UINT8, walls, frame_chunk);
    // One chunk a frame where the number of grains is constant: then no chunk is ever rewritten.
    const hsize_t chunk = std::clamp<hsize_t>(grains, 512, 65536);
    add(per_grain, g, "id", H5T_NATIVE_UINT32, 1, chunk);
    add(per_grain, g, "type", H5T_NATIVE_UINT16, 1, chunk);
    add(per_grain, g, "group", H5T_NATIVE_UINT16, 1, chunk);
    add(per_grain, g, "kind", H5T_NATIVE_UINT8, 1, chunk);
    add(per_grain, g, "x", H5T_NATIVE_DOUBLE, 2, chunk);
    add(per_grain, g, "theta", H5T_NATIVE_DOUBLE, 1, chunk);
    add(per_grain, g, "v", H5T_NATIVE_FLOAT, 2, chunk);
    add(per_grain, g, "omega", H5T_NATIVE_FLOAT, 1, chunk);
    add(per_contact, c, "a", H5T_NATIVE_UINT32, 1, chunk);
    add(per_contact, c, "b", H5T_NATIVE_UINT32, 1, chunk);
    add(per_contact, c, "wall", H5T_NATIVE_INT32, 1, chunk);
    add(per_contact, c, "point", H5T_NATIVE_FLOAT, 2, chunk);
    add(per_contact, c, "normal", H5T_NATIVE_FLOAT, 2, chunk);
    add(per_contact, c, "normal_force", H5T_NATIVE_FLOAT, 1, chunk);
    add(per_contact, c, "tangential_force", H5T_NATIVE_FLOAT, 1, chunk);
  }

  void append_grains(const Frame& f) {
    const hsize_t n = f.id.size();
    std::size_t k = 0;
    const auto put = [&](const void* data) { per_grain[k++].append(data, n); };
    put(f.id.data()), put(f.type.data()), put(f.group.data()), put(f.kind.data()), put(f.x.data());
    put(f.theta.data()), put(singles(f.v).data()), put(singles(f.omega).data());
    grain_end += n;
  }

  void append_contacts(const std::vector<FrameContact>& contacts) {
    const hsize_t n = contacts.size();
    std::size_t k = 0;
    const auto put = [&](const auto& values) { per_contact[k++].append(values.data(), n); };
    put(column(contacts, [](const FrameContact& c) { return c.a; }));
    put(column(contacts, [](const FrameContact& c) { return c.b; }));
    put(column(contacts, [](const FrameContact& c) { return c.wall; }));
    put(singles(column(contacts, [](const FrameContact& c) { return c.point; })));
    put(singles(column(contacts, [](const FrameContact& c) { return c.normal; })));
    put(singles(column(contacts, [](const FrameContact& c) { return c.normal_force; })));
    put(singles(column(contacts, [](const FrameContact& c) { return c.tangential_force; })));
    contact_end += n;
  }

  void append_frame(const Frame& f) {
    std::size_t k = 0;
    const auto put = [&](const void* data) { per_frame[k++].append(data, 1); };
    put(&f.time), put(&f.step), put(&f.gravity), put(visited(RowOut{}, f.ledger).row.data());
    put(&grain_end), put(&contact_end);
    if (walls > 0) put(f.wall_pose.data()), put(f.wall_active.data());
  }
};

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& file, const World& world, const std::string& run_json)
    : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  m.path = file;
  m.file = h5::create_file(file);
  h5::write_attribute(m.file, "format", "scree-trajectory", m.path);
  h5::write_text(m.file, "run_json", run_json, m.path);
  Statics statics = statics_of(world);
  {
    const h5::Handle group = h5::create_group(m.file, "statics", m.path);
    h5::Writer writer(group, m.path);
    static_fields(writer, statics);
  }
  m.walls = world.walls.size();
  m.frames_group = h5::create_group(m.file, "frames", m.path);
  m.grains_group = h5::create_group(m.file, "grains", m.path);
  m.contacts_group = h5::create_group(m.file, "contacts", m.path);
  const auto names = visited(RowNames{}, {}).names;
  h5::write_attribute(m.frames_group, "ledger_columns", join(names), m.path);
  m.add_columns(world.bodies.size(), names.size());
  // SWMR wants no open object but datasets.
  m.frames_group.close(), m.grains_group.close(), m.contacts_group.close();
  if (H5Fflush(m.file, H5F_SCOPE_LOCAL) < 0 || H5Fstart_swmr_write(m.file) < 0) h5::fail_write(file, "the header");
}

TrajectoryWriter::~TrajectoryWriter() = default;
TrajectoryWriter::TrajectoryWriter(TrajectoryWriter&&) noexcept = default;

void TrajectoryWriter::write(const World& world) {
  Impl& m = *impl_;
  if (world.walls.size() != m.walls)
    throw Error(ErrorKind::input, m.path.string(), "the number of walls changed during the run",
                "switch walls on and off with events instead");
  const Frame frame = frame_of(world);
  m.append_grains(frame);
  m.append_contacts(frame.contacts);
  // Data first, the frame's index last: a reader never sees a frame whose grains are not there.
  for (auto* columns : {&m.per_grain, &m.per_contact})
    for (h5::Column& c : *columns) c.flush();
  m.append_frame(frame);
  for (h5::Column& c : m.per_frame) c.flush();
  ++m.count;
}

std::size_t TrajectoryWriter::frames() const { return impl_->count; }

struct TrajectoryReader::Impl {
  std::filesystem::path path;
  h5::Handle file;
  Statics statics;
  std::vector<double> times;
  std::vector<std::uint64_t> grain_end, contact_end;  // with a leading 0

  // Frames whose every part is in the file: a killed writer may have left the last one unfinished.
  std::size_t complete_frames(hid_t frames, std::size_t ledger_width) const {
    const hsize_t w = statics.walls.size();
    hsize_t n = h5::rows_of(frames, "time", 1, path);
    for (const char* name : {"step", "grain_end", "contact_end"}) n = std::min(n, h5::rows_of(frames, name, 1, path));
    n = std::min(n, h5::rows_of(frames, "gravity", 2, path));
    n = std::min(n, h5::rows_of(frames, "ledger", ledger_width, path));
    if (w > 0) n = std::min(n, h5::rows_of(frames, "wall_pose", 3 * w, path));
    if (w > 0) n = std::min(n, h5::rows_of(frames, "wall_active", w, path));
    return n;
  }

  void read_index() {
    const h5::Handle frames = h5::open_group(file, "frames", path);
    const h5::Handle grains = h5::open_group(file, "grains", path);
    const h5::Handle contacts = h5::open_group(file, "contacts", path);
    const std::size_t n = complete_frames(frames, visited(RowNames{}, {}).names.size());
    times.resize(n), grain_end.resize(n), contact_end.resize(n);
    h5::read_rows(frames, "time", H5T_NATIVE_DOUBLE, 0, n, 1, times.data(), path);
    h5::read_rows(frames, "grain_end", H5T_NATIVE_UINT64, 0, n, 1, grain_end.data(), path);
    h5::read_rows(frames, "contact_end", H5T_NATIVE_UINT64, 0, n, 1, contact_end.data(), path);
    grain_end.insert(grain_end.begin(), 0), contact_end.insert(contact_end.begin(), 0);
    if (!std::is_sorted(grain_end.begin(), grain_end.end()) || !std::is_sorted(contact_end.begin(), contact_end.end()))
      h5::fail_read(path, "the index of frames is not in order");
    // What the index promises must be there.
    const hsize_t grain_rows = h5::rows_of(grains, "omega", 1, path);
    const hsize_t contact_rows = h5::rows_of(contacts, "tangential_force", 1, path);
    while (!times.empty() && (grain_end.back() > grain_rows || contact_end.back() > contact_rows))
      times.pop_back(), grain_end.pop_back(), contact_end.pop_back();
  }

  void read_grains(Frame& f, std::size_t k) const {
    const h5::Handle g = h5::open_group(file, "grains", path);
    const hsize_t first = grain_end[k], n = grain_end[k + 1] - first;
    const auto get = [&](const char* name, auto& out) {
      using T = typename std::remove_reference_t<decltype(out)>::value_type;
      out.resize(n);
      h5::read_rows(g, name, h5::element_type<T>(), first, n, h5::Layout<T>::width, out.data(), path);
    };
    get("id", f.id), get("type", f.type), get("group", f.group), get("kind", f.kind), get("x", f.x);
    get("theta", f.theta), get("v", f.v), get("omega", f.omega);
    for (std::uint16_t t : f.type)
      if (t >= statics.types.size())
        h5::fail_read(path, cat("frame ", k, " names grain type ", t, ", which is missing"));
  }

  void read_contacts(Frame& f, std::size_t k) const {
    const h5::Handle c = h5::open_group(file, "contacts", path);
    const hsize_t first = contact_end[k], n = contact_end[k + 1] - first;
    f.contacts.resize(n);
    const auto get = [&](const char* name, auto FrameContact::*field) {
      using T = std::remove_reference_t<decltype(f.contacts[0].*field)>;
      std::vector<T> values(n);
      h5::read_rows(c, name, h5::element_type<T>(), first, n, h5::Layout<T>::width, values.data(), path);
      for (std::size_t i = 0; i < n; ++i) f.contacts[i].*field = values[i];
    };
    get("a", &FrameContact::a), get("b", &FrameContact::b), get("wall", &FrameContact::wall);
    get("point", &FrameContact::point), get("normal", &FrameContact::normal);
    get("normal_force", &FrameContact::normal_force), get("tangential_force", &FrameContact::tangential_force);
  }

  void read_frame(Frame& f, std::size_t k) const {
    const h5::Handle g = h5::open_group(file, "frames", path);
    const hsize_t w = statics.walls.size();
    std::vector<double> row(visited(RowNames{}, {}).names.size());
    h5::read_rows(g, "time", H5T_NATIVE_DOUBLE, k, 1, 1, &f.time, path);
    h5::read_rows(g, "step", H5T_NATIVE_UINT64, k, 1, 1, &f.step, path);
    h5::read_rows(g, "gravity", H5T_NATIVE_DOUBLE, k, 1, 2, &f.gravity, path);
    h5::read_rows(g, "ledger", H5T_NATIVE_DOUBLE, k, 1, row.size(), row.data(), path);
    RowIn in{row.data()};
    fields(in, f.ledger);
    f.wall_pose.resize(w), f.wall_active.resize(w);
    if (w == 0) return;
    h5::read_rows(g, "wall_pose", H5T_NATIVE_DOUBLE, k, 1, 3 * w, f.wall_pose.data(), path);
    h5::read_rows(g, "wall_active", H5T_NATIVE_UINT8, k, 1, w, f.wall_active.data(), path);
  }
};

TrajectoryReader::TrajectoryReader(const std::filesystem::path& file) : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  m.path = file;
  m.file = h5::open_file(file, "scree-trajectory");
  const h5::Handle group = h5::open_group(m.file, "statics", m.path);
  h5::Reader reader(group, m.path);
  static_fields(reader, m.statics);
  m.statics.run_json = h5::read_text(m.file, "run_json", m.path);
  for (const GrainType& t : m.statics.types)
    if (t.shape < 0 || static_cast<std::size_t>(t.shape) >= m.statics.shapes.size())
      h5::fail_read(file, cat("grain type \"", t.name, "\" names a shape that is missing"));
  m.read_index();
}

TrajectoryReader::~TrajectoryReader() = default;
TrajectoryReader::TrajectoryReader(TrajectoryReader&&) noexcept = default;
std::size_t TrajectoryReader::frames() const { return impl_->times.size(); }
const Statics& TrajectoryReader::statics() const { return impl_->statics; }
const std::vector<double>& TrajectoryReader::times() const { return impl_->times; }

Frame TrajectoryReader::read(std::size_t index) const {
  if (index >= frames())
    throw Error(ErrorKind::input, impl_->path.string(), cat("there is no frame ", index, "; it holds ", frames()),
                "frames count from 0");
  Frame frame;
  impl_->read_frame(frame, index);
  impl_->read_grains(frame, index);
  impl_->read_contacts(frame, index);
  return frame;
}

}  // namespace scree
