#include "reference/Gemm/Gemm.h"

#include "reference/Run/Threads.h"
#include "reference/Simd/Level.h"

#include <algorithm>
#include <span>

namespace tilerig::reference {

#define TILERIG_LEVEL(name)                                                                                  \
  namespace name {                                                                                           \
  const TileKernels<float> &floatKernels();                                                                  \
  const TileKernels<double> &doubleKernels();                                                                \
  }
TILERIG_LEVEL(baseline)
TILERIG_LEVEL(avx2)
TILERIG_LEVEL(avx512)
#undef TILERIG_LEVEL

template <>
const TileKernels<float> &tileKernels() {
  static const auto &kernels = forLevel(baseline::floatKernels, avx2::floatKernels, avx512::floatKernels)();
  return kernels;
}
template <>
const TileKernels<double> &tileKernels() {
  static const auto &kernels =
      forLevel(baseline::doubleKernels, avx2::doubleKernels, avx512::doubleKernels)();
  return kernels;
}

template <class T>
RowPanels<T> RowPanels<T>::pack(MatrixView<const T> a, int64_t rows, int64_t depth, Threads &threads) {
  RowPanels packed(rows, depth);
  threads.forEach(packed.count(), 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      tileKernels<T>().packRows(a, i * packed.height, rows, depth, packed.panel(i));
  });
  return packed;
}

template <class T>
ColumnPanels<T> ColumnPanels<T>::pack(MatrixView<const T> b, int64_t columns, int64_t depth,
                                      Threads &threads) {
  ColumnPanels packed(columns, depth);
  threads.forEach(packed.count(), 4, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j)
      tileKernels<T>().packColumns(b, 0, depth, j * packed.width, columns, packed.panel(j));
  });
  return packed;
}

namespace {

// Number of values of k, the summation index, per block: a panel of columns of this depth, together with a
// panel of rows, fits into the L1 cache.
int64_t depthBlock(int64_t depth, int64_t width) {
  int64_t most = 5120 / width;
  int64_t blocks = std::max<int64_t>(1, (depth + most - 1) / most);
  return std::max<int64_t>(1, (depth + blocks - 1) / blocks);
}

template <class T>
struct Product {
  const RowPanels<T> &a;
  int64_t columns;
  MatrixView<T> c;
  Start<T> start;
  Chain chain;
  const FinishRow<T> *finish = nullptr;
  int64_t width = tileKernels<T>().panelColumns;
  int64_t panels = (columns + width - 1) / width;
  int64_t block = depthBlock(a.depth, width);

  // Multiplies row panels [first, last) of the left matrix by the column panel `b` of the right matrix, over
  // the range `depth` of the summation index, and adds the products to c. For the first range, c begins with
  // its starting values.
  void add(int64_t first, int64_t last, int64_t panel, PanelView<T> b, DepthRange depth) const {
    int64_t row = first * a.height, column = panel * width;
    bool begun = depth.begin > 0;
    Start<T> from{start.held || begun, start.perRow && !begun ? start.perRow + row : nullptr};
    tileKernels<T>().multiply({a.panel(first) + depth.begin * a.height, a.panelStride(),
                               std::min(last * a.height, a.rows) - row, b, depth.length(),
                               c.data + row * c.rowStride + column, c.rowStride,
                               std::min(width, columns - column), from},
                              chain);
  }

  // Passes the sums of a panel of columns to the callback `finish`, row by row, once the products over the
  // last range of the summation index have been added. Several neighbouring panels are passed at a time.
  void finishAt(int64_t first, int64_t last, int64_t panel, int64_t begin, int64_t end,
                DepthRange depth) const {
    constexpr int64_t few = 4;
    if (!finish || depth.end < a.depth || ((panel + 1 - begin) % few != 0 && panel + 1 < end))
      return;
    const int64_t column = (begin + (panel - begin) / few * few) * width;
    for (int64_t row = first * a.height; row < std::min(last * a.height, a.rows); ++row)
      (*finish)(c.data + row * c.rowStride + column, std::min((panel + 1) * width, columns) - column, row);
  }

  // Calls use(range) for every block of the summation index of the matrix product; once even if there are no
  // terms to sum, so that the result receives its starting values.
  template <class Use>
  void forDepth(Use use) const {
    for (int64_t k = 0; k == 0 || k < a.depth; k += block)
      use(DepthRange{k, std::min(k + block, a.depth)});
  }
};

// Multiplies all rows and columns of two matrices, split into pieces of about equal work for the threads. The
// right matrix is already packed: each panel of columns in `b` covers the whole summation index.
template <class T>
void multiplyPieces(const Product<T> &product, std::span<const PanelView<T>> b, Threads &threads) {
  // Minimum number of panels of columns in a piece of work for a thread. Each row that a piece reads is then
  // multiplied with several panels.
  constexpr int64_t columnGrain = 4;
  int64_t wanted = 4 * static_cast<int64_t>(threads.count());
  int64_t columnPieces = std::max<int64_t>(1, std::min(wanted, product.panels / columnGrain));
  int64_t rowPieces = std::clamp<int64_t>(wanted / columnPieces, 1, product.a.count());
  threads.forEach(columnPieces * rowPieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t rowPiece = i % rowPieces, columnPiece = i / rowPieces;
      int64_t first = rowPiece * product.a.count() / rowPieces,
              last = (rowPiece + 1) * product.a.count() / rowPieces;
      int64_t firstPanel = columnPiece * product.panels / columnPieces,
              lastPanel = (columnPiece + 1) * product.panels / columnPieces;
      product.forDepth([&](DepthRange depth) {
        for (int64_t panel = firstPanel; panel < lastPanel; ++panel) {
          product.add(first, last, panel, b[static_cast<size_t>(panel)].from(depth.begin), depth);
          product.finishAt(first, last, panel, firstPanel, lastPanel, depth);
        }
      });
    }
  });
}

// Splits the columns of the product into pieces, each computed by one thread. A piece packs its own columns,
// one block of the summation index at a time, and multiplies them with all rows.
template <class T>
void multiplyWhilePacking(const Product<T> &product, const PackPanel<T> &pack, int64_t pieces,
                          Threads &threads) {
  // Number of elements of the right operand that are packed at a time, so few that they fit into the L2
  // cache.
  constexpr int64_t mostElements = 1 << 16;
  int64_t fitting = std::max<int64_t>(1, mostElements / (product.block * product.width));
  int64_t perPiece = std::clamp((product.panels + pieces - 1) / pieces, int64_t{1}, fitting);
  pieces = (product.panels + perPiece - 1) / perPiece;
  threads.forEach(pieces, 1, [&](int64_t begin, int64_t end) {
    Scratch<T> packed(perPiece * product.block * product.width);
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = i * perPiece, last = std::min(first + perPiece, product.panels);
      product.forDepth([&](DepthRange depth) {
        for (int64_t panel = first; panel < last; ++panel) {
          T *to = packed.data() + (panel - first) * depth.length() * product.width;
          product.add(0, product.a.count(), panel, pack(panel, depth, to), depth);
          product.finishAt(0, product.a.count(), panel, first, last, depth);
        }
      });
    }
  });
}

} // namespace

template <class T>
void multiply(const RowPanels<T> &a, const ColumnPanels<T> &b, MatrixView<T> c, Start<T> start, Chain chain,
              Threads &threads) {
  std::vector<PanelView<T>> panels;
  for (int64_t i = 0; i < b.count(); ++i)
    panels.push_back({b.panel(i), b.width});
  multiplyPieces<T>(Product<T>{a, b.columns, c, start, chain}, panels, threads);
}

template <class T>
void multiply(const RowPanels<T> &a, int64_t columns, const PackPanel<T> &pack, MatrixView<T> c,
              Start<T> start, Chain chain, Threads &threads, const FinishRow<T> &finish) {
  Product<T> product{a, columns, c, start, chain, finish ? &finish : nullptr};
  int64_t pieces = 4 * static_cast<int64_t>(threads.count());
  // If the right matrix has few columns, they are packed once for all threads, which then divide up the rows.
  constexpr int64_t mostShared = 1 << 21;
  bool few = product.panels < 2 * pieces && product.panels * product.width * a.depth <= mostShared;
  if (threads.count() == 1 || !few || a.count() == 1)
    return multiplyWhilePacking(product, pack, pieces, threads);
  ColumnPanels<T> b(columns, a.depth);
  std::vector<PanelView<T>> panels(static_cast<size_t>(product.panels));
  threads.forEach(product.panels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel)
      panels[static_cast<size_t>(panel)] = pack(panel, {0, a.depth}, b.panel(panel));
  });
  multiplyPieces<T>(product, panels, threads);
}

template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, int64_t m, int64_t n, int64_t k,
              Start<T> start, Chain chain, Threads &threads) {
  if (m * n == 0)
    return;
  RowPanels<T> rows = RowPanels<T>::pack(a, m, k, threads);
  PackPanel<T> pack = [&](int64_t panel, DepthRange depth, T *to) -> PanelView<T> {
    const int64_t width = tileKernels<T>().panelColumns;
    tileKernels<T>().packColumns(b, depth.begin, depth.length(), panel * width, n, to);
    return {to, width};
  };
  multiply(rows, n, pack, c, start, chain, threads);
}

#define TILERIG_FOR(T)                                                                                       \
  template class RowPanels<T>;                                                                               \
  template class ColumnPanels<T>;                                                                            \
  template void multiply(const RowPanels<T> &, const ColumnPanels<T> &, MatrixView<T>, Start<T>, Chain,      \
                         Threads &);                                                                         \
  template void multiply(const RowPanels<T> &, int64_t, const PackPanel<T> &, MatrixView<T>, Start<T>,       \
                         Chain, Threads &, const FinishRow<T> &);                                            \
  template void multiply(MatrixView<const T>, MatrixView<const T>, MatrixView<T>, int64_t, int64_t, int64_t, \
                         Start<T>, Chain, Threads &);
TILERIG_FOR(float)
TILERIG_FOR(double)
#undef TILERIG_FOR

} // namespace tilerig::reference
