#include <algorithm>

#include "kernel/kernel.hpp"
#include "kernel/tiles.hpp"

namespace rarebit {
namespace {

int round_up(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace

KernelSpec plain_spec(const KernelSpec& spec) {
    KernelSpec plain = spec;
    plain.gamma = spec.kind == KernelKind::rbf ? 0.5 : 1.0;
    plain.coef0 = 0.0;
    return plain;
}

void form_arguments(const KernelSpec& spec, const double* dots, int count, double left_norm,
                    const double* right_norms, float* out) {
    const double gamma = spec.gamma, coef0 = spec.coef0;
    if (spec.kind == KernelKind::linear)
        for (int i = 0; i < count; ++i) out[i] = static_cast<float>(dots[i]);
    else if (spec.kind == KernelKind::rbf)
        for (int i = 0; i < count; ++i)
            out[i] = static_cast<float>(gamma * (2.0 * dots[i] - (left_norm + right_norms[i])));
    else
        for (int i = 0; i < count; ++i) out[i] = static_cast<float>(gamma * dots[i] + coef0);
}

void dense32_tiles(const Kernel& kernel, const RowBlock& left, const PackedRows& right,
                   const ColumnRange& range, const TileSink& sink) {
    const KernelSpec& spec = kernel.spec();
    const HotLoops& loops = kernel.loops();
    const std::size_t depth = left.matrix->columns;
    const bool few = left.count <= loops.narrow_width32;
    const int lw = few ? loops.narrow_width32 : loops.left_width32, rw = loops.right_width32;
    const int width = few ? kTileColumns : rw;
    const auto product = few ? loops.narrow_product32 : loops.product32;
    const int most = std::min(kTileRows, round_up(left.count, lw));
    AlignedVector<float> packed(static_cast<std::size_t>(most) * depth), norms(most);
    AlignedVector<float> tile(static_cast<std::size_t>(most) * kTileStride);
    for (int top = 0; top < left.count; top += kTileRows) {
        const int rows = std::min(kTileRows, left.count - top);
        const int panels = (rows + lw - 1) / lw;
        for (int p = 0; p < panels; ++p)
            pack_panel(left.part(top + p * lw, std::min(lw, rows - p * lw)), lw, kernel.centre(),
                       packed.data() + static_cast<std::size_t>(p) * lw * depth);
        if (spec.kind == KernelKind::rbf)
            for (int i = 0; i < rows; ++i)
                norms[i] =
                    static_cast<float>(squared_norm(*left.matrix, left[top + i], kernel.centre()));
        for (int from = range.from; from < range.to; from += kTileColumns) {
            const int columns = std::min(kTileColumns, range.to - from);
            // Part by part, so that values are transformed while the first-level cache has them.
            for (int j = 0; j < columns; j += width) {
                const int part = std::min(width, columns - j);
                product(packed.data(), panels, right.panels32() + (from + j) * depth,
                        (part + rw - 1) / rw, depth, tile.data() + j, kTileStride);
                loops.transform32(spec, tile.data() + j, rows, part, kTileStride, norms.data(),
                                  right.norms32() + from + j);
            }
            sink(top, rows, from, columns, tile.data(), kTileStride);
        }
    }
}

void dense64_tiles(const Kernel& kernel, const RowBlock& left, const PackedRows& right,
                   const ColumnRange& range, const TileSink& sink) {
    const KernelSpec& spec = kernel.spec();
    const HotLoops& loops = kernel.loops();
    const std::size_t depth = left.matrix->columns;
    const int lw = loops.left_width64, rw = loops.right_width64;
    const int most = std::min(kTileRows, round_up(left.count, lw));
    AlignedVector<double> packed(static_cast<std::size_t>(most) * depth), norms(most);
    AlignedVector<double> dots(static_cast<std::size_t>(most) * kTileStride);
    AlignedVector<float> tile(static_cast<std::size_t>(most) * kTileStride);
    const AlignedVector<float> zeros(std::max(most, kTileColumns), 0.0f);
    const KernelSpec plain = plain_spec(spec);
    for (int top = 0; top < left.count; top += kTileRows) {
        const int rows = std::min(kTileRows, left.count - top);
        const int panels = (rows + lw - 1) / lw;
        for (int p = 0; p < panels; ++p)
            pack_panel(left.part(top + p * lw, std::min(lw, rows - p * lw)), lw, kernel.centre(),
                       packed.data() + static_cast<std::size_t>(p) * lw * depth);
        for (int i = 0; i < rows; ++i)
            norms[i] = squared_norm(*left.matrix, left[top + i], kernel.centre());
        for (int from = range.from; from < range.to; from += kTileColumns) {
            const int columns = std::min(kTileColumns, range.to - from);
            const int right_panels = (columns + rw - 1) / rw;
            loops.product64(packed.data(), panels, right.panels64() + from * depth, right_panels,
                            depth, dots.data(), kTileStride);
            for (int i = 0; i < rows; ++i)
                form_arguments(spec, dots.data() + i * kTileStride, columns, norms[i],
                               right.norms64() + from, tile.data() + i * kTileStride);
            loops.transform32(plain, tile.data(), rows, columns, kTileStride, zeros.data(),
                              zeros.data());
            sink(top, rows, from, columns, tile.data(), kTileStride);
        }
    }
}

void precomputed_tiles(const RowBlock& left, const PackedRows& right, const ColumnRange& range,
                       const TileSink& sink) {
    AlignedVector<float> tile(kTileColumns);
    for (int i = 0; i < left.count; ++i)
        for (int from = range.from; from < range.to; from += kTileColumns) {
            const int columns = std::min(kTileColumns, range.to - from);
            for (int j = 0; j < columns; ++j)
                tile[j] =
                    static_cast<float>(left.matrix->dense_value(left[i], right.row(from + j)));
            sink(i, 1, from, columns, tile.data(), kTileStride);
        }
}

}  // namespace rarebit
