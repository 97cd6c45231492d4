#include "kernel/packed_rows.hpp"

#include <algorithm>
#include <type_traits>

#include "kernel/kernel.hpp"

namespace rarebit {
namespace {

int round_up(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace

PackedRows::PackedRows(const Kernel& kernel, const Matrix& matrix, bool packed)
    : kernel_(&kernel),
      matrix_(&matrix),
      packed_(packed && kernel.spec().kind != KernelKind::precomputed) {}

void PackedRows::grow(int size) {
    ids_.resize(size, 0);
    if (!packed_) return;
    const HotLoops& loops = kernel_->loops();
    const int width = kernel_->wide() ? loops.right_width64 : loops.right_width32;
    const int padded = round_up(size, width);
    // Norms are read in whole vectors, so they are padded as panels are.
    if (static_cast<int>(norms32_.size()) < padded) {
        norms32_.resize(padded, 0.0f);
        norms64_.resize(padded, 0.0);
    }
    if (matrix_->sparse()) {
        if (column_number_.empty()) column_number_.assign(matrix_->columns, -1);
        if (kernel_->wide())
            entries64_.resize(size);
        else
            entries32_.resize(size);
        return;
    }
    const std::size_t entries = static_cast<std::size_t>(padded) * matrix_->columns;
    if (kernel_->wide() && panels64_.size() < entries) panels64_.resize(entries, 0.0);
    if (!kernel_->wide() && panels32_.size() < entries) panels32_.resize(entries, 0.0f);
}

template <class T>
void PackedRows::read_entries(std::int32_t row, SparseRow<T>* entries) {
    entries->read(*matrix_, row);
    for (std::int32_t& column : entries->columns) {
        std::int32_t& number = column_number_[column];
        if (number < 0) number = columns_used_++;
        column = number;
    }
}

void PackedRows::assign(int slot, std::int32_t row) {
    if (slot >= size()) grow(slot + 1);
    ids_[slot] = row;
    if (!packed_) return;
    norms64_[slot] = squared_norm(*matrix_, row, kernel_->centre());
    norms32_[slot] = static_cast<float>(norms64_[slot]);
    if (matrix_->sparse()) {
        if (kernel_->wide())
            read_entries(row, &entries64_[slot]);
        else
            read_entries(row, &entries32_[slot]);
        return;
    }
    const std::size_t depth = matrix_->columns;
    const std::vector<double>& centre = kernel_->centre();
    const auto scatter = [&](auto* panels, int width) {
        using T = std::remove_reference_t<decltype(*panels)>;
        T* to = panels + static_cast<std::size_t>(slot / width) * depth * width + slot % width;
        for (std::size_t k = 0; k < depth; ++k)
            to[k * width] = static_cast<T>(matrix_->dense_value(row, static_cast<std::int64_t>(k)) -
                                           (centre.empty() ? 0.0 : centre[k]));
    };
    if (kernel_->wide())
        scatter(panels64_.data(), kernel_->loops().right_width64);
    else
        scatter(panels32_.data(), kernel_->loops().right_width32);
}

void PackedRows::assign(const std::vector<std::int32_t>& rows) {
    ids_.clear();
    if (packed_ && !matrix_->sparse()) {
        // All panels are written below, and need not be cleared first.
        const HotLoops& loops = kernel_->loops();
        const int width = kernel_->wide() ? loops.right_width64 : loops.right_width32;
        const std::size_t entries =
            static_cast<std::size_t>(round_up(static_cast<int>(rows.size()), width)) *
            matrix_->columns;
        if (kernel_->wide() && panels64_.size() < entries) panels64_.resize(entries);
        if (!kernel_->wide() && panels32_.size() < entries) panels32_.resize(entries);
    }
    grow(static_cast<int>(rows.size()));
    ids_ = rows;
    if (!packed_) return;
    for (int slot = 0; slot < size(); ++slot) {
        norms64_[slot] = squared_norm(*matrix_, rows[slot], kernel_->centre());
        norms32_[slot] = static_cast<float>(norms64_[slot]);
    }
    if (matrix_->sparse()) {
        for (int slot = 0; slot < size(); ++slot)
            if (kernel_->wide())
                read_entries(rows[slot], &entries64_[slot]);
            else
                read_entries(rows[slot], &entries32_[slot]);
        return;
    }
    const RowBlock all{matrix_, ids_.data(), 0, size()};
    const HotLoops& loops = kernel_->loops();
    const int width = kernel_->wide() ? loops.right_width64 : loops.right_width32;
    for (int from = 0; from < size(); from += width) {
        const RowBlock part = all.part(from, std::min(width, size() - from));
        const std::size_t at = static_cast<std::size_t>(from) * matrix_->columns;
        if (kernel_->wide())
            pack_panel(part, width, kernel_->centre(), panels64_.data() + at);
        else
            pack_panel(part, width, kernel_->centre(), panels32_.data() + at);
    }
}

}  // namespace rarebit
