#pragma once
// Maps on disk: the safetensors layout with everything about the map in its metadata. Fields: docs/map-format.md.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "scree/map/contact_map.hpp"
#include "scree/map/safetensors.hpp"
#include "scree/map/settings.hpp"

namespace scree {

inline constexpr int map_format_version = 2;  // of the file's fields
// Of what the builders compute: raise when the same settings give other numbers.
inline constexpr int map_recipe_version = 3;

// What a map is the map of, and how it was made.
struct MapIdentity {
  std::string name_a, name_b;  // for people; not part of the key
  std::uint64_t hash_a = 0, hash_b = 0;
  double ratio = 1;
  MapSettings settings;

  // Of the shapes' content, the ratio, the settings that matter for the kind, and the versions above.
  std::uint64_t key() const;
};
MapIdentity identity_of(const ShapePair& pair, const MapSettings& settings);

// True for the kinds that are worth a file: tables and nets. The others are made anew from the shapes.
bool storable(const ContactMap& map);

// Atomic: a reader sees the old file or the whole new one. Error(input) when the map is not storable, Error(system)
// when the disk fails.
void save_map(const std::filesystem::path& path, const ContactMap& map, const MapIdentity& identity);

struct LoadedMap {
  std::unique_ptr<ContactMap> map;  // with its measured error
  MapIdentity identity;
};
// Error(system) when the file cannot be read; Error(input), naming file, fault and remedy, when it is truncated,
// corrupt, of another version, or no Scree map at all.
LoadedMap load_map(const std::filesystem::path& path);

// What the metadata field scree.checksum must say: over all other metadata and all tensors.
std::uint64_t map_checksum(const TensorFile& file);

}  // namespace scree
