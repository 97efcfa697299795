// Sums in eight lanes on every processor: the position of an element in its block determines its lane, and
// lanes are joined in a fixed order, so results do not depend on the vector width.
#if defined(TILERIG_VERIFY_METRICS_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_VERIFY_METRICS_SUMS_INL_H_
#undef TILERIG_VERIFY_METRICS_SUMS_INL_H_
#else
#define TILERIG_VERIFY_METRICS_SUMS_INL_H_
#endif

#include "verify/Metrics/Block-inl.h"

#include <algorithm>
#include <array>

HWY_BEFORE_NAMESPACE();
namespace tilerig::verify::HWY_NAMESPACE {

using LaneArray = std::array<double, numLanes>;

inline double sumOf(const LaneArray &x) {
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}
inline double largestOf(const LaneArray &x) { return *std::max_element(x.begin(), x.end()); }

// FromBlock and FromFloats give elements to the loops that add them up: from a block, or directly from two
// float tensors. Both assign elements to lanes alike. The last vector of a block may be padded with zeros;
// `present` is the number of its elements without padding.
struct FromBlock {
  const Block &block;
  size_t padded;
  HWY_INLINE void load(size_t i, Vector &r, Vector &t, Vector &e) const {
    const Part d;
    r = hn::Load(d, block.reference + i), t = hn::Load(d, block.target + i),
    e = hn::Load(d, block.difference + i);
  }
  size_t present(size_t i) const { return block.count > i ? std::min(block.count - i, partLanes) : 0; }
};
inline FromBlock fromBlock(Block &block) {
  const size_t padded = padWithZeros(block);
  return {block, padded};
}
struct FromFloats {
  const float *reference, *target;
  size_t padded; // number of elements, which is a multiple of the number of lanes
  HWY_INLINE void load(size_t i, Vector &r, Vector &t, Vector &e) const {
    const Part d;
    const hn::Rebind<float, Part> dFloat;
    r = hn::PromoteTo(d, hn::LoadU(dFloat, reference + i));
    t = hn::PromoteTo(d, hn::LoadU(dFloat, target + i));
    e = hn::Sub(t, r);
  }
  size_t present(size_t) const { return partLanes; }
};

// The sums of Sums.def, each as eight partial sums, one for each lane.
struct LaneSums {
#define SUM(name, addend) alignas(64) LaneArray name{};
#include "verify/Metrics/Sums.def"
};

// Adds up the elements of those lanes that one vector register holds, from lane `part` on. Calls
// also(references, targets, differences, position) for each vector.
template <class Source, class Also>
HWY_INLINE void addPart(const Source &source, size_t part, const Centre &centre, LaneSums &sums,
                        const Also &also) {
  const Part d;
#define SUM(name, addend) Vector name = hn::Load(d, sums.name.data() + part);
#include "verify/Metrics/Sums.def"
  const Vector referenceScale = hn::Set(d, centre.referenceScale),
               targetScale = hn::Set(d, centre.targetScale);
  const Vector errorScale = hn::Set(d, centre.errorScale);
  const Vector meanReference = hn::Set(d, centre.reference), meanTarget = hn::Set(d, centre.target);
  for (size_t i = part; i < source.padded; i += numLanes) {
    Vector r, t, e;
    source.load(i, r, t, e);
    also(r, t, e, i);
    const Vector sr = hn::Mul(r, referenceScale), st = hn::Mul(t, targetScale), se = hn::Mul(e, errorScale);
    Vector rc = hn::Sub(sr, meanReference), tc = hn::Sub(st, meanTarget);
    if (const size_t present = source.present(i); HWY_UNLIKELY(present < partLanes)) {
      rc = hn::IfThenElseZero(hn::FirstN(d, present), rc);
      tc = hn::IfThenElseZero(hn::FirstN(d, present), tc);
    }
#define SUM(name, addend) name = hn::Add(name, addend);
#include "verify/Metrics/Sums.def"
  }
#define SUM(name, addend) hn::Store(name, d, sums.name.data() + part);
#include "verify/Metrics/Sums.def"
}

inline void addBlock(Block &block, const Centre &centre, LaneSums &sums) {
  const FromBlock source = fromBlock(block);
  for (size_t part = 0; part < numLanes; part += partLanes)
    addPart(source, part, centre, sums, [](Vector, Vector, Vector, size_t) HWY_ATTR {});
}

struct LaneExtremes {
  alignas(64) LaneArray reference{}, second{}, target{}, error{}, sumReference{}, sumTarget{}, squares{};
};

// Updates the extremes (such as the largest magnitudes) of the lanes from `part` on. Returns whether all
// differences are finite; if not, the extremes are meaningless.
template <class Source>
HWY_INLINE bool addPartExtremes(const Source &source, size_t part, LaneExtremes &extremes) {
  const Part d;
  auto accumulator = [&](LaneArray &lanes) HWY_ATTR { return hn::Load(d, lanes.data() + part); };
  Vector reference = accumulator(extremes.reference), second = accumulator(extremes.second);
  Vector target = accumulator(extremes.target), error = accumulator(extremes.error);
  Vector sumReference = accumulator(extremes.sumReference), sumTarget = accumulator(extremes.sumTarget);
  Vector squares = accumulator(extremes.squares), poison = hn::Zero(d);
  for (size_t i = part; i < source.padded; i += numLanes) {
    Vector r, t, e;
    source.load(i, r, t, e);
    poison = hn::Add(poison, hn::Sub(e, e));
    sumReference = hn::Add(sumReference, r);
    sumTarget = hn::Add(sumTarget, t);
    squares = hn::Add(squares, hn::Mul(r, r));
    second = hn::Max(second, hn::Min(hn::Abs(r), reference));
    reference = hn::Max(reference, hn::Abs(r));
    target = hn::Max(target, hn::Abs(t));
    error = hn::Max(error, hn::Abs(e));
  }
  auto keep = [&](Vector vector, LaneArray &lanes) HWY_ATTR { hn::Store(vector, d, lanes.data() + part); };
  keep(reference, extremes.reference), keep(second, extremes.second), keep(target, extremes.target);
  keep(error, extremes.error), keep(sumReference, extremes.sumReference);
  keep(sumTarget, extremes.sumTarget), keep(squares, extremes.squares);
  return hn::GetLane(hn::SumOfLanes(d, poison)) == 0;
}

template <class Source>
bool addExtremes(const Source &source, LaneExtremes &extremes) {
  bool finite = true;
  for (size_t part = 0; part < numLanes; part += partLanes)
    finite &= addPartExtremes(source, part, extremes);
  return finite;
}

} // namespace tilerig::verify::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // guard
