// The networks of the zoo, by name.
#pragma once

#include "models/Builder/Network.h"

#include <span>
#include <string_view>

namespace tilerig::models {

// What of a network can be chosen; checked against the catalogue before a network is described.
struct Variant {
  int64_t batch = 1;
  int64_t imageSize = 0; // height and width; 0 for networks without images
  int opset = 17;
};

struct CatalogueEntry {
  std::string_view name;
  std::string_view summary;
  // Sizes of images: the usual one, the least, and what every one is a multiple of. All 0 without images.
  struct ImageSizes {
    int64_t usual = 0, least = 0, step = 1;
  } images = {};
  Network (*describe)(const Variant &variant);
};

inline constexpr int leastOpset = 13, mostOpset = 21;

// Ordered by family, small before large.
std::span<const CatalogueEntry> catalogue();
const CatalogueEntry *findNetwork(std::string_view name);

} // namespace tilerig::models
