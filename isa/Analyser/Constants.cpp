#include "isa/Analyser/Constants.h"

#include <algorithm>

namespace tilerig {

Constants::Constants(const Program &program) : program(program) {
  for (const ConstantData &constant : program.constants) {
    const ByteRange range{constant.address, constant.address + constant.bytes.size()};
    if (!ranges.empty() && ranges.back().end == range.begin)
      ranges.back().end = range.end;
    else
      ranges.push_back(range);
  }
}

bool Constants::contains(ByteRange range) const {
  const auto after = std::ranges::upper_bound(ranges, range.begin, {}, &ByteRange::begin);
  return after != ranges.begin() && std::prev(after)->end >= range.end;
}

std::optional<ByteRange> Constants::firstOverlap(const Region &region) const {
  auto at = std::ranges::upper_bound(ranges, region.begin, {}, &ByteRange::end);
  for (; at != ranges.end() && at->begin < region.end; ++at)
    if (const auto shared = tilerig::firstOverlap(region, Region::ofRun(at->begin, at->size())))
      return shared;
  return std::nullopt;
}

std::span<const std::byte> Constants::read(ByteRange range) const {
  const auto after = std::ranges::upper_bound(program.constants, range.begin, {}, &ConstantData::address);
  if (after == program.constants.begin())
    return {};
  const ConstantData &constant = *std::prev(after);
  const uint64_t offset = range.begin - constant.address;
  if (offset > constant.bytes.size() || range.size() > constant.bytes.size() - offset)
    return {};
  return constant.bytes.subspan(offset, range.size());
}

} // namespace tilerig
