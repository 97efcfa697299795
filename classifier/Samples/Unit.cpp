#include "classifier/Samples/Unit.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

// Maximum number of networks that are tried for one unit of the dataset. Another network is tried if the
// compiler refuses a network, or if a required bug cannot be injected into its program.
constexpr uint64_t mostSettings = 12;

// Bugs that can be injected into few networks. One network in four is chosen such that one of these bugs can
// be injected into it; otherwise a dataset would have hardly any rows with these bugs.
constexpr std::string_view rare[] = {
    "activation-order",      "partial-doubled",   "partial-lost",       "pad-value",
    "output-channels-first", "wait-semaphore",    "weights-wrong-tile", "output-transposed",
    "clip-missing",          "part-copied-twice", "wait-late"};
constexpr uint64_t unitsOfOneSearch = 4;

// A rare bug that must be injectable into the network of a unit of work (one network and its samples). Null
// for most units: their networks are chosen freely.
const Bug *soughtIn(const Choice &choice, uint64_t unit) {
  if (unit % unitsOfOneSearch != unitsOfOneSearch - 1)
    return nullptr;
  std::vector<const Bug *> chosen;
  for (const std::string_view id : rare)
    std::ranges::copy_if(choice.bugs, std::back_inserter(chosen),
                         [&](const Bug *bug) { return bug->id == id; });
  return chosen.empty() ? nullptr : chosen[unit / unitsOfOneSearch % chosen.size()];
}

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
  const Bug *const sought = soughtIn(choice, unit);
  UnitResult result;
  for (uint64_t attempt = 0; attempt < mostSettings; ++attempt) {
    Draw draw(seedOf(seed, attempt));
    const Family &family = drawFamily(choice, draw);
    auto subject = makeSubject(family, draw.next(), threads);
    if (!subject) {
      // A block of a user's model may have numbers that no precision holds; networks of our own may not.
      if (subject.error().kind != ErrorKind::unsupported && family.group != FamilyGroup::files)
        return std::move(subject).error().within(fmt::format("unit {} ({})", unit, family.name));
      ++result.counts["refused_networks"];
      continue;
    }
    Sampler sampler(*subject, sought ? std::vector{sought} : choice.bugs, unit, draw.next());
    TILERIG_TRY(result.samples, sampler.take(choice.attempts));
    for (const auto &[reason, count] : sampler.counts())
      result.counts[reason] += count;
    if (!sought || !result.samples.empty())
      break;
  }
  return result;
}

} // namespace tilerig::verify
