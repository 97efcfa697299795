#include "verify/Samples/Unit.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

// Settings that the compiler refuses are drawn anew, so often.
constexpr uint64_t mostSettings = 12;

const Family &drawFamily(const Choice &choice, Draw &draw) {
  uint64_t total = 0;
  for (const Family *family : choice.families)
    total += family->weight;
  uint64_t at = draw.below(total);
  for (const Family *family : choice.families) {
    if (at < family->weight)
      return *family;
    at -= family->weight;
  }
  return *choice.families.back();
}

} // namespace

Result<UnitResult> runUnit(const Choice &choice, uint64_t unit, reference::Threads &threads) {
  const uint64_t seed = seedOf(choice.seed, unit);
  UnitResult result;
  for (uint64_t attempt = 0; attempt < mostSettings; ++attempt) {
    Draw draw(seedOf(seed, attempt));
    const Family &family = drawFamily(choice, draw);
    auto subject = makeSubject(family, draw.next(), threads);
    if (!subject) {
      if (subject.error().kind != ErrorKind::unsupported)
        return std::move(subject).error().within(fmt::format("unit {} ({})", unit, family.name));
      ++result.counts["refused_networks"];
      continue;
    }
    Sampler sampler(*subject, choice.bugs, unit, draw.next());
    TRY(result.samples, sampler.take(choice.attempts));
    for (const auto &[reason, count] : sampler.counts())
      result.counts[reason] += count;
    break;
  }
  return result;
}

} // namespace tilerig::verify
