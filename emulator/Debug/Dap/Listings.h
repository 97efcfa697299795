// The sources that an editor shows of a program: the instructions of each tile as assembly text, and the list of layers with
// their ONNX nodes.
#pragma once

#include "isa/Assembly/Listing.h"
#include "isa/Base/Support/Json.h"
#include "isa/Program/Program.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::emulator {

class Listings {
public:
  explicit Listings(const Program &program) : program(program) {}

  // Numbers of sources, from 1: the layers, then the tiles of each stage of the device.
  static constexpr int layers = 1;
  int sourceOf(uint32_t stage, uint32_t tile) const {
    return 2 + static_cast<int>(stage * program.tiles + tile);
  }
  // The stage and the tile of a source; none for the list of layers and for numbers of no source.
  std::optional<std::pair<uint32_t, uint32_t>> tileOf(int source) const;
  bool exists(int source) const { return source == layers || tileOf(source); }
  // The listing of a source that exists; made when it is first asked for.
  const Listing &of(int source) const;
  Json asJson(int source) const;

private:
  Listing makeLayers() const;
  std::string nameOf(int source) const;

  const Program &program;
  mutable std::map<int, Listing> made;
};

} // namespace tilerig::emulator
