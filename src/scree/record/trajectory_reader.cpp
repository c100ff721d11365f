#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/record/trajectory.hpp"
#include "scree/record/trajectory_layout.hpp"

namespace scree {

namespace {

// The entries of an attribute that holds one a line; none for an empty text.
std::vector<std::string> lines_of(hid_t group, const char* name, const std::filesystem::path& file) {
  std::istringstream text(h5::read_attribute(group, name, file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Columns of a measure or of its table, side by side.
class Cells {
 public:
  Cells(hid_t group, const std::filesystem::path& file) : group_(group), file_(file) {
    for (const std::string& name : lines_of(group, "columns", file)) {
      const h5::Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
      if (!dataset.ok()) h5::fail_read(file, cat("dataset \"", name, "\" is missing"));
      columns_.push_back({name, h5::read_attribute(dataset, "unit", file)});
    }
  }
  const std::vector<MeasureColumn>& columns() const { return columns_; }
  hsize_t complete_rows(hsize_t n) const {
    for (const MeasureColumn& c : columns_) n = std::min(n, h5::rows_of(group_, c.name, 1, file_));
    return n;
  }
  std::vector<Reading::Cells> read(hsize_t n) const {
    std::vector<Reading::Cells> rows(n, Reading::Cells(columns_.size()));
    std::vector<double> values(n);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      h5::read_rows(group_, columns_[k].name, H5T_NATIVE_DOUBLE, 0, n, 1, values.data(), file_);
      for (hsize_t i = 0; i < n; ++i)
        if (!std::isnan(values[i])) rows[i][k] = values[i];
    }
    return rows;
  }

 private:
  hid_t group_;
  const std::filesystem::path& file_;
  std::vector<MeasureColumn> columns_;
};

// Samples whose every part is in the file.
MeasureSamples read_measure(hid_t measures, const std::string& name, const std::filesystem::path& file) {
  const h5::Handle group = h5::open_group(measures, name, file);
  const Cells values(group, file);
  MeasureSamples out;
  out.measure = {name, h5::read_attribute(group, "kind", file), values.columns(), {}};
  const hsize_t n = values.complete_rows(h5::rows_of(group, "time", 1, file));
  out.times.resize(n);
  h5::read_rows(group, "time", H5T_NATIVE_DOUBLE, 0, n, 1, out.times.data(), file);
  for (Reading::Cells& row : values.read(n)) out.readings.push_back({std::move(row), {}});
  if (H5Lexists(group, "table", H5P_DEFAULT) <= 0) return out;
  const h5::Handle table_group = h5::open_group(group, "table", file);
  const Cells table(table_group, file);
  out.measure.table = table.columns();
  std::vector<std::uint64_t> ends(n);
  h5::read_rows(group, "table_end", H5T_NATIVE_UINT64, 0, n, 1, ends.data(), file);
  const std::uint64_t total = ends.empty() ? 0 : ends.back();
  if (!std::is_sorted(ends.begin(), ends.end()) || table.complete_rows(total) < total)
    h5::fail_read(file, cat("the table of measure \"", name, "\" is not whole"));
  const std::vector<Reading::Cells> rows = table.read(total);
  for (std::size_t k = 0; k < n; ++k) {
    const auto at = [&](std::uint64_t end) { return rows.begin() + static_cast<std::ptrdiff_t>(end); };
    out.readings[k].rows.assign(at(k == 0 ? 0 : ends[k - 1]), at(ends[k]));
  }
  return out;
}

}  // namespace

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
    if (std::ranges::any_of(f.kind, [](BodyKind kind) { return kind > BodyKind::kinematic; }))
      h5::fail_read(path, cat("frame ", k, " has a grain that is neither moving, fixed nor kinematic"));
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

std::vector<MeasureSamples> TrajectoryReader::measures() const {
  const h5::Handle group = h5::open_group(impl_->file, "measures", impl_->path);
  std::vector<MeasureSamples> out;
  for (const std::string& name : lines_of(group, "names", impl_->path))
    out.push_back(read_measure(group, name, impl_->path));
  return out;
}

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
