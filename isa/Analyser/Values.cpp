#include "isa/Analyser/Values.h"

#include <algorithm>
#include <cstring>

namespace tilerig {

namespace {

// The memory region that a stream of elements occupies, or nullopt if the stream consists of several regions.
std::optional<Region> regionOf(const Stream &stream) {
  std::array<Steps, 5> dims;
  for (size_t d = 0; d < dims.size(); ++d)
    dims[d] = {stream.dims[d].stride, stream.dims[d].size};
  std::vector<Region> regions;
  appendRegions(stream.base, sizeBytes(stream.type), dims, regions);
  return regions.size() == 1 ? std::optional(regions[0]) : std::nullopt;
}

Region shiftedBy(Region region, int64_t shift) {
  region.begin += static_cast<uint64_t>(shift);
  region.end += static_cast<uint64_t>(shift);
  return region;
}

int64_t elementAt(std::span<const std::byte> bytes, ElementType type) {
  const auto low = std::to_integer<uint8_t>(bytes[0]);
  if (type == ElementType::i8)
    return static_cast<int8_t>(low);
  if (type == ElementType::u8)
    return low;
  uint32_t word = 0; // all memories of the machine are little-endian
  for (unsigned i = 0; i < 4; ++i)
    word |= std::to_integer<uint32_t>(bytes[i]) << (8 * i);
  return static_cast<int32_t>(word);
}

constexpr bool hasBounds(ElementType type) {
  return type == ElementType::i8 || type == ElementType::u8 || type == ElementType::i32;
}

} // namespace

const Fact *Values::factAbout(MemoryId memory, const Region &region) const {
  const Fact *match = nullptr;
  memories[memory].visitOverlapping(region.bounds(), [&](ByteRange, const std::unique_ptr<Fact> &fact) {
    if (covers(fact->region, region))
      match = fact.get();
  });
  return match;
}

std::optional<int64_t> Values::shiftToConstants(MemoryId memory, const Region &region) const {
  if (memory == ddrMemory)
    return constants.contains(region.bounds()) ? std::optional<int64_t>(0) : std::nullopt;
  const Fact *known = factAbout(memory, region);
  return known && known->kind == Fact::shifted ? std::optional(known->shift) : std::nullopt;
}

std::optional<Fact> Values::copied(MemoryId from, const Stream &source, const Stream &destination) const {
  const auto read = regionOf(source), written = regionOf(destination);
  if (source.type != destination.type || !read || !written)
    return std::nullopt;
  const bool sameStrides = source.dims == destination.dims;
  const int64_t distance = static_cast<int64_t>(source.base) - static_cast<int64_t>(destination.base);
  const auto fromConstants = [&](int64_t shift) {
    if (sameStrides)
      return Fact{.kind = Fact::shifted, .type = source.type, .shift = shift + distance, .region = *written};
    return Fact{
        .kind = Fact::scattered, .type = source.type, .region = *written, .source = shiftedBy(*read, shift)};
  };
  if (from == ddrMemory && constants.contains(read->bounds()))
    return fromConstants(0);
  const Fact *known = factAbout(from, *read);
  if (!known)
    return std::nullopt;
  if (known->kind == Fact::shifted)
    return fromConstants(known->shift);
  // A fact about values holds for whole elements of its own type. If the transfer moves elements of another
  // size, nothing is known about their values.
  if (sizeBytes(known->type) != sizeBytes(source.type))
    return std::nullopt;
  Fact fact = *known;
  fact.region = *written;
  return fact;
}

void Values::forget(MemoryId memory, const Region &region) {
  std::vector<Fact> rests;
  memories[memory].visitOverlapping(region.bounds(), [&](ByteRange range, std::unique_ptr<Fact> &fact) {
    if (!overlap(fact->region, region))
      return false;
    if (fact->id < oldBefore)
      lostIds.push_back(fact->id);
    if (!fact->region.isRun())
      return true;
    // A fact about contiguous bytes remains known for the bytes before and after the bounding range of the
    // write.
    for (const auto &[begin, end] : {std::pair(range.begin, std::max(region.begin, range.begin)),
                                     std::pair(std::min(region.end, range.end), range.end)})
      if (begin < end) {
        rests.push_back(*fact);
        rests.back().region = Region::ofRun(begin, end - begin);
      }
    return true;
  });
  for (Fact &rest : rests)
    memories[memory].insert(rest.region.bounds(), std::make_unique<Fact>(rest));
}

void Values::learn(MemoryId memory, Fact fact) {
  fact.id = nextId++;
  memories[memory].insert(fact.region.bounds(), std::make_unique<Fact>(fact));
}

void Values::drop(const std::vector<uint32_t> &ids) {
  for (auto &memory : memories)
    memory.removeIf([&](ByteRange, const std::unique_ptr<Fact> &fact) {
      return std::ranges::find(ids, fact->id) != ids.end();
    });
}

std::optional<Bounds> Values::constantBounds(const Region &region, ElementType type) {
  std::vector<std::pair<uint64_t, uint64_t>> dims;
  for (auto [stride, count] : region.dims())
    dims.emplace_back(stride, count);
  const auto [entry, isNew] = knownBounds.try_emplace({region.begin, region.run, std::move(dims), type});
  if (!isNew)
    return entry->second;
  std::optional<Bounds> bounds;
  const bool read = hasBounds(type) && forEachRun(region, [&](ByteRange run) {
                      const auto bytes = constants.read(run);
                      for (size_t at = 0; at + sizeBytes(type) <= bytes.size(); at += sizeBytes(type)) {
                        const int64_t value = elementAt(bytes.subspan(at), type);
                        bounds = bounds ? bounds->with({value, value}) : Bounds{value, value};
                      }
                      return bytes.size() == run.size();
                    });
  entry->second = read ? bounds : std::nullopt;
  return entry->second;
}

std::optional<Bounds> Values::boundsIn(const Fact &fact, const Region &region, ElementType type) {
  if (fact.kind == Fact::shifted)
    return constantBounds(shiftedBy(region, fact.shift), type);
  if (fact.type != type)
    return std::nullopt;
  return fact.kind == Fact::scattered ? constantBounds(fact.source, type) : fact.bounds;
}

// Bounds on the elements of a region, from one fact (known property of the values of some bytes) that covers
// the region, or from several facts about contiguous bytes that together cover it.
std::optional<Bounds> Values::boundsOf(MemoryId memory, const Region &region, ElementType type) {
  if (const Fact *fact = factAbout(memory, region))
    return boundsIn(*fact, region, type);
  std::vector<const Fact *> facts;
  std::as_const(memories[memory])
      .visitOverlapping(region.bounds(), [&](ByteRange, const std::unique_ptr<Fact> &fact) {
        if (fact->region.isRun())
          facts.push_back(fact.get());
      });
  std::ranges::sort(facts, {}, [](const Fact *fact) { return fact->region.begin; });
  std::optional<Bounds> bounds;
  const bool covered = forEachRun(region, [&](ByteRange run) {
    auto fact = std::ranges::upper_bound(facts, run.begin, {},
                                         [](const Fact *candidate) { return candidate->region.end; });
    for (uint64_t at = run.begin; at < run.end; ++fact) {
      if (fact == facts.end() || (*fact)->region.begin > at)
        return false;
      const uint64_t end = std::min(run.end, (*fact)->region.end);
      const auto part = boundsIn(**fact, Region::ofRun(at, end - at), type);
      if (!part)
        return false;
      bounds = bounds ? bounds->with(*part) : *part;
      at = end;
    }
    return true;
  });
  return covered ? bounds : std::nullopt;
}

std::optional<int64_t> Values::greatestRowSum(MemoryId memory, const Stream &stream, unsigned rowDims,
                                              int zeroPoint) {
  const auto region = regionOf(stream);
  const Fact *fact = region ? factAbout(memory, *region) : nullptr;
  if (!fact || fact->kind != Fact::shifted)
    return std::nullopt;
  const uint64_t base = stream.base + static_cast<uint64_t>(fact->shift);
  RowsKey key{base, {}, rowDims, zeroPoint, stream.type};
  for (size_t d = 0; d < stream.dims.size(); ++d)
    std::get<1>(key)[d] = {stream.dims[d].size, stream.dims[d].stride};
  const auto [entry, isNew] = knownRowSums.try_emplace(key);
  if (isNew && !constants.read(shiftedBy(*region, fact->shift).bounds()).empty())
    entry->second = constantRowSum(base, stream, rowDims, zeroPoint);
  return entry->second;
}

std::optional<int64_t> Values::constantRowSum(uint64_t base, const Stream &stream, unsigned rowDims,
                                              int zeroPoint) const {
  const unsigned element = sizeBytes(stream.type);
  const auto visit = [&](auto &self, uint64_t at, unsigned d) -> int64_t {
    if (d == stream.dims.size())
      return std::abs(elementAt(constants.read({at, at + element}), stream.type) - zeroPoint);
    int64_t result = 0;
    const bool inRow = d >= stream.dims.size() - rowDims;
    for (uint32_t i = 0; i < stream.dims[d].size; ++i, at += stream.dims[d].stride) {
      const int64_t part = self(self, at, d + 1);
      result = inRow ? result + part : std::max(result, part);
    }
    return result;
  };
  return visit(visit, base, 0);
}

} // namespace tilerig
