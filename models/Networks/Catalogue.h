// The catalogue of the zoo: all built-in networks by name.
#pragma once

#include "models/Builder/Network.h"

#include <span>
#include <string_view>

namespace tilerig::models {

// Options that select a variant of a network; checked against the catalogue before the network is described.
struct Variant {
  int64_t batch = 1;
  int64_t imageSize = 0; // height and width of images; 0 for networks without images
  int opset = 17;
};

struct CatalogueEntry {
  std::string_view name;
  std::string_view summary;
  // Image sizes: the default, the minimum, and the number of which every size is a multiple. Left at the
  // defaults for networks without images.
  struct ImageSizes {
    int64_t usual = 0, least = 0, step = 1;
  } images = {};
  Network (*describe)(const Variant &variant);
};

inline constexpr int leastOpset = 13, mostOpset = 21;

// All networks, ordered by family, and by size within a family.
std::span<const CatalogueEntry> catalogue();
const CatalogueEntry *findNetwork(std::string_view name);

} // namespace tilerig::models
