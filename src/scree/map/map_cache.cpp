#include "scree/map/map_cache.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "scree/base/error.hpp"
#include "scree/base/hash.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? fs::path(value) : fs::path();
}

// Whether a stored map is the one asked for: 64 bits of key could collide, and people rename files.
bool same(const MapIdentity& stored, const MapIdentity& wanted) {
  return stored.key() == wanted.key() && stored.hash_a == wanted.hash_a && stored.hash_b == wanted.hash_b &&
         stored.ratio == wanted.ratio && stored.settings.kind == wanted.settings.kind;
}

void say(const std::string& line) { std::cerr << "scree: " + line + "\n"; }

std::shared_ptr<const ContactMap> load(const fs::path& path, const MapIdentity& wanted) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return nullptr;
  try {
    LoadedMap loaded = load_map(path);
    if (same(loaded.identity, wanted)) return std::move(loaded.map);
    say(path.string() + ": holds another map; building it again");
  } catch (const Error& e) { say(path.string() + ": " + e.problem() + "; building it again"); }
  return nullptr;
}

// Temporary files of writers that were killed: "<map>.safetensors.XXXXXX", old enough that no writer is at work.
void sweep(const fs::path& folder) {
  std::error_code ec;
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    const fs::path& p = it->path();
    std::error_code e;
    if (p.stem().extension() == ".safetensors" && p.extension().string().size() == 7 && it->last_write_time(e) < old &&
        !e)
      fs::remove(p, e);
  }
}

}  // namespace

fs::path MapCache::default_folder() {
  if (fs::path p = from_environment("SCREE_CACHE"); !p.empty()) return p;
  if (fs::path p = from_environment("XDG_CACHE_HOME"); !p.empty()) return p / "scree";
  if (fs::path p = from_environment("HOME"); !p.empty()) return p / ".cache" / "scree";
  return {};
}

MapCache::MapCache(fs::path folder) : folder_(std::move(folder)) {
  if (!folder_.empty()) sweep(folder_);
}

fs::path MapCache::path_of(const ShapePair& pair, const MapSettings& settings) const {
  return folder_ / (settings.kind + "-" + to_hex(identity_of(pair, settings).key()) + ".safetensors");
}

std::shared_ptr<const ContactMap> MapCache::get(const ShapePair& pair, const MapSettings& settings,
                                                const Builder& build, bool* was_cached) const {
  if (was_cached) *was_cached = false;
  const bool kept = settings.kind == "table" || settings.kind == "neural";
  if (folder_.empty() || !kept) return build();
  const MapIdentity identity = identity_of(pair, settings);
  const fs::path path = path_of(pair, settings);
  if (auto map = load(path, identity)) {
    if (was_cached) *was_cached = true;
    return map;
  }
  std::shared_ptr<const ContactMap> map = build();
  if (storable(*map)) store(path, *map, identity);
  return map;
}

void MapCache::store(const fs::path& path, const ContactMap& map, const MapIdentity& identity) const {
  try {
    std::error_code ignored;  // the write below reports a folder that could not be made
    fs::create_directories(folder_, ignored);
    save_map(path, map, identity);
  } catch (const Error& e) {
    static std::atomic<bool> said{false};
    if (!said.exchange(true)) say("maps are not kept for the next run: " + e.where() + ": " + e.problem());
  }
}

}  // namespace scree
