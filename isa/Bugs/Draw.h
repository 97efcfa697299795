// What is not said of a bug, chance picks; and what was picked is kept, as the truth about a mutant.
#pragma once

#include "isa/Bugs/Choice.h"

#include <functional>

namespace tilerig {

// The numbers of one attempt to plant a bug in one layer. Each is the one that was given, if there is room
// for it, or comes from the seed. What is asked for in the same order is the same on every host.
class BugDraw {
public:
  BugDraw(const BugChoice &choice, uint64_t seed) : choice(choice), state(seed) {}

  const Bug &bug() const { return *choice.bug; }
  // One of low .. high. Refuses, as something that the layer has no room for, a given number outside, and any
  // where there is nothing in it.
  Result<int64_t> number(std::string_view name, int64_t low, int64_t high);
  // The same, but not 0: bugs that are off by something.
  Result<int64_t> nonZero(std::string_view name, int64_t low, int64_t high);
  // An index below `count`.
  Result<size_t> index(std::string_view name, size_t count);
  // The same, but not that one.
  Result<size_t> indexBut(std::string_view name, size_t count, size_t other);
  // One of these.
  Result<int64_t> among(std::string_view name, const std::vector<int64_t> &possible);
  // One of those words of the parameter that `allowed` says yes to.
  using Allows = std::function<bool(std::string_view)>;
  Result<std::string_view> word(std::string_view name, const Allows &allowed);

  // Everything that was asked for, with its value; the layer is added by whoever knows it.
  const std::map<std::string, int64_t, std::less<>> &picked() const { return values; }

private:
  Result<int64_t> oneOf(std::string_view name, int64_t low, int64_t high,
                        const std::function<bool(int64_t)> &allowed);
  const BugParameter &parameterNamed(std::string_view name) const;
  uint64_t next();

  const BugChoice &choice;
  uint64_t state;
  std::map<std::string, int64_t, std::less<>> values;
};

// A bug as it was planted: nothing is left open, so that the same text plants it again, whatever the seed.
struct PlantedBug {
  BugChoice choice;
  uint64_t seed = 0;
  uint32_t layer = 0; // its number in the program's metadata
  std::string layerName;
};

// Layers in an order that the seed decides, those that are asked for: by name, "#number" or, where nothing is
// said, all of them. `names` by number.
Result<std::vector<uint32_t>> layersToTry(const BugChoice &choice, uint64_t seed,
                                          std::span<const std::string> names);
// How a choice names a layer: "#number" where another has the same name, or none.
std::string nameInChoice(uint32_t layer, std::span<const std::string> names);
// Of one layer's draw, so that layers do not depend on who was tried before them.
uint64_t seedOfLayer(uint64_t seed, uint32_t layer);

// Tries the layers one after the other until the bug has a place in one. `plant` leaves everything as it was
// where it refuses as unsupported; any other error ends the search. Where there is no place at all, the error
// says why not in the last of the layers.
using PlantInLayer = std::function<Status(uint32_t layer, BugDraw &draw)>;
Result<PlantedBug> plantSomewhere(const BugChoice &choice, uint64_t seed, std::span<const std::string> names,
                                  const PlantInLayer &plant);

} // namespace tilerig
