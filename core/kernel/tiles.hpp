// Kernel values tile by tile, for each way that rows can be stored. A tile is handed to the caller
// while it is in the cache, and then overwritten.
#pragma once

#include <cstddef>
#include <functional>

#include "kernel/matrix.hpp"
#include "kernel/packed_rows.hpp"
#include "simd/kernel_spec.hpp"

namespace rarebit {

class Kernel;

// A tile of left rows stays in the second-level cache while the right panels stream past.
constexpr int kTileRows = 96;
constexpr int kTileColumns = 512;
// Not a power of two: rows of a tile must not fall into the same few sets of the cache.
constexpr int kTileStride = kTileColumns + 16;

// Right rows from `from`, a multiple of kTileColumns, to `to`.
struct ColumnRange {
    int from, to;
};

// Values of left rows top.. (rows of them) with right rows from.. (columns of them).
using TileSink = std::function<void(int top, int rows, int from, int columns, const float* tile,
                                    std::size_t stride)>;

void dense32_tiles(const Kernel& kernel, const RowBlock& left, const PackedRows& right,
                   const ColumnRange& range, const TileSink& sink);
void dense64_tiles(const Kernel& kernel, const RowBlock& left, const PackedRows& right,
                   const ColumnRange& range, const TileSink& sink);
void sparse32_tiles(const Kernel& kernel, const RowBlock& left, const PackedRows& right,
                    const ColumnRange& range, const TileSink& sink);
void sparse64_tiles(const Kernel& kernel, const RowBlock& left, const PackedRows& right,
                    const ColumnRange& range, const TileSink& sink);
void precomputed_tiles(const RowBlock& left, const PackedRows& right, const ColumnRange& range,
                       const TileSink& sink);

// The kernel as a function of an argument that was formed in float64 already.
KernelSpec plain_spec(const KernelSpec& spec);
// out[i] = the argument of the kernel function, for dot products of rows of these squared norms.
void form_arguments(const KernelSpec& spec, const double* dots, int count, double left_norm,
                    const double* right_norms, float* out);

}  // namespace rarebit
