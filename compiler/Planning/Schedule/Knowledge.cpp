#include "compiler/Planning/Schedule/Knowledge.h"

#include <algorithm>
#include <bit>

namespace tilerig::compiler {

Knowledge::Knowledge(unsigned tiles)
    : engines(tiles * enginesPerTile), begins(size_t{engines} * engines), ends(begins) {}

void Knowledge::join(Clock to, std::span<const uint32_t> from) {
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = std::max(to[i], from[i]);
}

void Knowledge::take(EngineId engine) {
  const Clock end = endOf(engine);
  join(end, beginOf(engine));
  ++end[engine];
  if (!isDma(engineOfId(engine)))
    beginOf(engine)[engine] = end[engine];
}

void Knowledge::learnAllOf(EngineId engine, EngineId other) {
  join(beginOf(engine), beginOf(other));
  join(beginOf(engine), endOf(other));
}

void Knowledge::meet(uint64_t tiles) {
  std::vector<uint32_t> all(engines);
  const auto forEachEngine = [&](auto &&visit) {
    for (uint64_t rest = tiles; rest != 0; rest &= rest - 1)
      for (unsigned slot = 0; slot < enginesPerTile; ++slot)
        visit(static_cast<unsigned>(std::countr_zero(rest)) * enginesPerTile + slot);
  };
  forEachEngine([&](EngineId engine) {
    join(all, beginOf(engine));
    join(all, endOf(engine));
  });
  forEachEngine([&](EngineId engine) { join(beginOf(engine), all); });
}

Knowledge::Row Knowledge::keep(EngineId engine) {
  if (freeRows.empty()) {
    freeRows.push_back(static_cast<Row>(rows.size() / engines));
    rows.resize(rows.size() + engines);
  }
  const Row row = freeRows.back();
  freeRows.pop_back();
  std::ranges::copy(endOf(engine), clockOf(row).begin());
  return row;
}

void Knowledge::learn(EngineId engine, Row row) { join(beginOf(engine), clockOf(row)); }

} // namespace tilerig::compiler
