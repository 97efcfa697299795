// Example of a user-written search: is a layer faster on fewer tiles? Layer by layer, the search reduces the
// number of tiles and keeps every change that makes the whole network faster. The program fits on a page, can
// be extended, and replaces the built-in search of `tilerig compile --search`.
//
//   find_package(tilerig REQUIRED)
//   add_executable(own-search own-search.cpp)
//   target_link_libraries(own-search PRIVATE tilerig::search)
//
// usage: own-search TILERIG MODEL PRECISION STRATEGY.json      TILERIG: the command `tilerig`
#include "compiler/Planning/Search/Knobs.h"
#include "isa/Base/Support/File.h"

#include <cstdio>

using namespace tilerig;
using namespace tilerig::compiler;

namespace {

Status search(const std::string &tilerig, const std::string &model, Knobs knobs, const std::string &output) {
  TILERIG_TRY(Trial best, tryKnobs(tilerig, model, knobs));
  const uint64_t before = best.cycles;
  for (size_t i = 0; i < best.strategy.layers.size(); ++i)
    for (const int64_t tiles : {32, 16, 4, 1}) {
      knobs.strategy = best.strategy;
      StrategyLayer &layer = knobs.strategy.layers[i];
      if (layer.tiles.value_or(0) <= tiles)
        continue;
      useTiles(layer, tiles);
      auto tried = tryKnobs(tilerig, model, knobs);
      // A layer that cannot be split over `tiles` tiles is skipped.
      if (!tried && tried.error().kind != ErrorKind::unsupported)
        return tried.error();
      if (!tried || tried->cycles >= best.cycles)
        continue;
      std::printf("layer %zu (%s) on %lld tiles: %llu cycles\n", i + 1, layer.lastOnnxOp.c_str(),
                  static_cast<long long>(tiles), static_cast<unsigned long long>(tried->cycles));
      best = *std::move(tried);
    }
  std::printf("%llu cycles, %llu before\n", static_cast<unsigned long long>(best.cycles),
              static_cast<unsigned long long>(before));
  return writeText(output, printStrategy(best.strategy));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s TILERIG MODEL PRECISION STRATEGY.json\n", argv[0]);
    return 2;
  }
  Knobs knobs;
  knobs.precision = argv[3];
  const Status done = search(argv[1], argv[2], knobs, argv[4]);
  if (!done)
    std::fprintf(stderr, "%s\n", done.error().message().c_str());
  return done ? 0 : static_cast<int>(exitCodeOf(done.error().kind));
}
