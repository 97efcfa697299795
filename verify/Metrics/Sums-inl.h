// Sums in eight lanes, the same eight on every processor: an element's place in its block says to which lane
// it goes, and lanes are joined in order at the end.
#if defined(TILERIG_VERIFY_METRICS_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_VERIFY_METRICS_SUMS_INL_H_
#undef TILERIG_VERIFY_METRICS_SUMS_INL_H_
#else
#define TILERIG_VERIFY_METRICS_SUMS_INL_H_
#endif

#include "verify/Metrics/Block-inl.h"

#include <array>

HWY_BEFORE_NAMESPACE();
namespace tilerig::verify::HWY_NAMESPACE {

inline constexpr size_t numLanes = 8;
typedef double Lanes __attribute__((vector_size(numLanes * sizeof(double))));

HWY_INLINE void magnitude(Lanes &x) { x = x < 0 ? -x : x; }
HWY_INLINE void raise(Lanes &most, const Lanes &x) { most = x > most ? x : most; }

HWY_INLINE double sumOf(const Lanes &x) {
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}
HWY_INLINE double largestOf(const Lanes &x) {
  double most = x[0];
  for (size_t lane = 1; lane < numLanes; ++lane)
    most = x[lane] > most ? x[lane] : most;
  return most;
}

// Loads what there is; other lanes get `rest`.
HWY_INLINE void load(const double *from, size_t available, double rest, Lanes &out) {
  if (available >= numLanes) {
    std::memcpy(&out, from, sizeof out);
    return;
  }
  for (size_t lane = 0; lane < numLanes; ++lane)
    out[lane] = lane < available ? from[lane] : rest;
}

struct LaneSums {
  Lanes absolute{}, error{}, errorSquares{}, referenceSquares{}, targetSquares{}, products{};
  Lanes centredReference{}, centredTarget{}, centredProducts{};
};

// Adds a block, and gives its largest |difference|. Lanes beyond the end hold the mean where it is
// subtracted, and zero elsewhere, and so add nothing.
inline double addBlock(const Block &block, const Centre &centre, LaneSums &sums) {
  LaneSums s = sums;
  Lanes most{};
  for (size_t i = 0; i < block.count; i += numLanes) {
    const size_t available = block.count - i;
    Lanes r, t, d, rc, tc;
    load(block.reference + i, available, 0, r);
    load(block.target + i, available, 0, t);
    load(block.difference + i, available, 0, d);
    Lanes a = d;
    magnitude(a);
    raise(most, a);
    r *= centre.referenceScale, t *= centre.targetScale, d *= centre.errorScale, a *= centre.errorScale;
    rc = r - centre.reference, tc = t - centre.target;
    if (available < numLanes)
      for (size_t lane = available; lane < numLanes; ++lane)
        rc[lane] = tc[lane] = 0;
    s.absolute += a;
    s.error += d;
    s.errorSquares += d * d;
    s.referenceSquares += r * r;
    s.targetSquares += t * t;
    s.products += r * t;
    s.centredReference += rc * rc;
    s.centredTarget += tc * tc;
    s.centredProducts += rc * tc;
  }
  sums = s;
  return largestOf(most);
}

struct LaneExtremes {
  Lanes reference{}, second{}, target{}, error{}, sumReference{}, sumTarget{}, squares{};
};

inline void addExtremes(const Block &block, LaneExtremes &extremes) {
  LaneExtremes e = extremes;
  for (size_t i = 0; i < block.count; i += numLanes) {
    Lanes r, t, d;
    load(block.difference + i, block.count - i, 0, d);
    load(block.reference + i, block.count - i, 0, r);
    load(block.target + i, block.count - i, 0, t);
    e.sumReference += r;
    e.sumTarget += t;
    e.squares += r * r;
    magnitude(r);
    magnitude(t);
    magnitude(d);
    raise(e.error, d);
    raise(e.second, r < e.reference ? r : e.reference);
    raise(e.reference, r);
    raise(e.target, t);
  }
  extremes = e;
}

} // namespace tilerig::verify::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // guard
