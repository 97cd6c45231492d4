// Kernel blocks against plain loops, for every kernel and every storage.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "fixtures.hpp"

using namespace rarebit;
using namespace rarebit_tests;

namespace {

const KernelSpec kSpecs[] = {
    spec_of(KernelKind::linear),
    spec_of(KernelKind::rbf, 0.05),
    spec_of(KernelKind::poly, 0.2, 1.0, 3),
    spec_of(KernelKind::poly, 0.3, -0.5, 2),
    spec_of(KernelKind::sigmoid, 0.1, -0.3),
};

// The size that rounding errors of a value are measured against.
double scale_of(const Kernel& kernel, const Table& a, int i, const Table& b, int j) {
    const KernelSpec& spec = kernel.spec();
    if (spec.kind == KernelKind::rbf || spec.kind == KernelKind::sigmoid) return 1.0;
    const double lengths = std::sqrt(squared_norm(a.matrix, i, kernel.centre()) *
                                     squared_norm(b.matrix, j, kernel.centre()));
    if (spec.kind == KernelKind::linear) return lengths + 1e-30;
    return std::pow(spec.gamma * lengths + std::abs(spec.coef0), spec.degree) * spec.degree;
}

// The largest error of a block, in units of the scale above.
double worst_error(const Kernel& kernel, const Table& a, const RowBlock& left, const Table& b,
                   const PackedRows& right, const std::vector<float>& block) {
    double worst = 0.0;
    for (int i = 0; i < left.count; ++i)
        for (int j = 0; j < right.size(); ++j) {
            const int p = static_cast<int>(left[i]), q = right.row(j);
            const double error = std::abs(block[static_cast<std::size_t>(i) * right.size() + j] -
                                          scalar_kernel(kernel, a, p, b, q)) /
                                 scale_of(kernel, a, p, b, q);
            if (!(error <= worst)) worst = error;  // also keeps a NaN
        }
    return worst;
}

}  // namespace

TEST_CASE("kernel blocks equal plain loops for all kernels and storages") {
    for (Storage storage : kStorages)
        for (bool wide_indices : {false, true}) {
            Table train(storage, 40, 13, normal_values(40, 13, 1, 0.4), wide_indices);
            Table other(storage, 30, 13, normal_values(30, 13, 2, 0.4), !wide_indices);
            for (const KernelSpec& spec : kSpecs) {
                const Kernel kernel(spec, Kernel(spec, train.matrix).centre(), false);
                PackedRows right(kernel, train.matrix);
                right.assign(numbers(40));
                const RowBlock left{&other.matrix, nullptr, 3, 27};
                const std::vector<float> block = engine_block(kernel, left, right);
                CHECK(worst_error(kernel, other, left, train, right, block) <= 2e-6);
            }
        }
}

TEST_CASE("kernel blocks of every edge shape") {
    // Shapes at the borders of panels, tiles and the depth of a product.
    for (Storage storage : {Storage::dense32, Storage::csr32})
        for (int columns : {1, 300}) {
            Table train(storage, 530, columns, normal_values(530, columns, 3, 0.9));
            const Kernel kernel(spec_of(KernelKind::rbf, 0.5 / columns), train.matrix);
            for (int lefts : {1, 11, 97})
                for (int rights : {1, 15, 513}) {
                    if (columns > 1 && lefts == 11) continue;
                    PackedRows right(kernel, train.matrix);
                    right.assign(numbers(rights, 5));
                    const RowBlock left{&train.matrix, nullptr, 7, lefts};
                    const std::vector<float> block = engine_block(kernel, left, right);
                    CHECK(worst_error(kernel, train, left, train, right, block) <= 3e-6);
                }
        }
}

TEST_CASE("kernel values do not depend on the shape of a block") {
    std::mt19937 random(4);
    for (Storage storage : kStorages)
        for (bool wide : {false, true})
            for (const KernelSpec& spec : kSpecs) {
                const int n = 560;
                Table table(storage, n, 19, normal_values(n, 19, 5, 0.5));
                const Kernel kernel(spec, std::vector<double>(), wide);
                PackedRows all(kernel, table.matrix);
                all.assign(numbers(n));
                const RowBlock top{&table.matrix, nullptr, 0, 110};
                const std::vector<float> whole = engine_block(kernel, top, all);
                // The same values one row by one column, and in a scattered block.
                int apart = 0;
                PackedRows single(kernel, table.matrix);
                for (int k = 0; k < 60; ++k) {
                    const int i = static_cast<int>(random() % 110),
                              j = static_cast<int>(random() % n);
                    single.assign(0, j);
                    const RowBlock one{&table.matrix, nullptr, i, 1};
                    apart += engine_block(kernel, one, single)[0] != whole[i * n + j];
                }
                std::vector<std::int32_t> rows = numbers(110), columns = numbers(n);
                std::shuffle(rows.begin(), rows.end(), random);
                std::shuffle(columns.begin(), columns.end(), random);
                rows.resize(47);
                columns.resize(201);
                PackedRows some(kernel, table.matrix);
                for (int j = 200; j >= 0; --j) some.assign(j, columns[j]);
                const RowBlock picked{&table.matrix, rows.data(), 0, 47};
                const std::vector<float> block = engine_block(kernel, picked, some);
                for (int i = 0; i < 47; ++i)
                    for (int j = 0; j < 201; ++j)
                        apart += block[i * 201 + j] != whole[rows[i] * n + columns[j]];
                CHECK(apart == 0);
            }
}

TEST_CASE("kernel narrow dense values are symmetric to the bit") {
    Table table(Storage::dense64, 60, 23, normal_values(60, 23, 6));
    for (const KernelSpec& spec : kSpecs) {
        const Kernel kernel(spec, table.matrix);
        PackedRows all(kernel, table.matrix);
        all.assign(numbers(60));
        const std::vector<float> block = engine_block(kernel, {&table.matrix, nullptr, 0, 60}, all);
        int apart = 0;
        for (int i = 0; i < 60; ++i)
            for (int j = 0; j < i; ++j) apart += block[i * 60 + j] != block[j * 60 + i];
        CHECK(apart == 0);
    }
}

TEST_CASE("packed slots are reused") {
    for (Storage storage : kStorages) {
        Table table(storage, 80, 6, normal_values(80, 6, 7));
        const Kernel kernel(spec_of(KernelKind::rbf, 0.2), table.matrix);
        PackedRows right(kernel, table.matrix);
        for (int slot = 0; slot < 37; ++slot) right.assign(slot, slot);
        right.assign(5, 70);
        right.assign(36, 71);
        right.assign(37, 72);
        CHECK(right.size() == 38);
        CHECK((right.row(5) == 70 && right.row(36) == 71 && right.row(6) == 6));
        const RowBlock left{&table.matrix, nullptr, 40, 9};
        CHECK(worst_error(kernel, table, left, table, right, engine_block(kernel, left, right)) <=
              2e-6);
        right.assign(numbers(3, 50));  // fewer than before
        CHECK(right.rows() == numbers(3, 50));
        CHECK(worst_error(kernel, table, left, table, right, engine_block(kernel, left, right)) <=
              2e-6);
    }
}

TEST_CASE("accumulate serves several machines and adds") {
    for (Storage storage : kStorages)
        for (int machines : {1, 3, 40}) {
            const int lefts = 101, rights = 530;
            Table table(storage, 600, 8, normal_values(600, 8, 8, 0.3));
            const Kernel kernel(spec_of(KernelKind::rbf, 0.1), table.matrix);
            PackedRows right(kernel, table.matrix);
            right.assign(numbers(rights, 20));
            const RowBlock left{&table.matrix, nullptr, 2, lefts};
            const std::vector<double> coefficients =
                normal_values(machines, rights, 9, machines > 3 ? 0.9 : 0.0);
            std::vector<double> out(lefts * machines);
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(i);
            kernel.accumulate(left, right, coefficients.data(), machines, out.data());
            const std::vector<float> block = engine_block(kernel, left, right);
            for (int i = 0; i < lefts; ++i)
                for (int m = 0; m < machines; ++m) {
                    double want = i * machines + m;
                    for (int j = 0; j < rights; ++j)
                        want += coefficients[m * rights + j] *
                                static_cast<double>(block[i * rights + j]);
                    // Many machines share float32 sums within a tile.
                    CHECK_NEAR(out[i * machines + m], want, machines > 3 ? 1e-5 : 1e-10);
                }
        }
}

TEST_CASE("kernel turns to float64 when rows are long") {
    for (Storage storage : {Storage::dense64, Storage::csr64}) {
        // Two clusters 2000 apart, whose rows are about 1 from each other.
        std::vector<double> values = normal_values(70, 5, 10);
        for (int i = 0; i < 70; ++i)
            for (int k = 0; k < 5; ++k) values[i * 5 + k] += i % 2 ? 1000.0 : -1000.0;
        Table table(storage, 70, 5, values);
        const Kernel kernel(spec_of(KernelKind::rbf, 0.3), table.matrix);
        CHECK(kernel.wide());
        PackedRows right(kernel, table.matrix);
        right.assign(numbers(70));
        const RowBlock left{&table.matrix, nullptr, 0, 70};
        const std::vector<float> block = engine_block(kernel, left, right);
        CHECK(worst_error(kernel, table, left, table, right, block) <= 1e-6);
        CHECK(block[1] == 0.0f);
        CHECK((block[2] > 0.0f && block[2] < 1.0f));
    }
}

TEST_CASE("kernel wide mode equals plain loops for all kernels") {
    for (Storage storage : kStorages)
        for (const KernelSpec& spec : kSpecs) {
            Table table(storage, 530, 4, normal_values(530, 4, 11, 0.2));
            const Kernel kernel(spec, std::vector<double>(), true);
            PackedRows right(kernel, table.matrix);
            right.assign(numbers(530));
            const RowBlock left{&table.matrix, nullptr, 400, 13};
            const std::vector<float> block = engine_block(kernel, left, right);
            CHECK(worst_error(kernel, table, left, table, right, block) <= 3e-7);
        }
}

TEST_CASE("kernel centres far columns away") {
    // Without the centre these rows would need float64, and float32 rows would not differ at all.
    std::vector<double> values = normal_values(200, 3, 12);
    for (int i = 0; i < 200; ++i) values[i * 3 + 1] += 1e7;
    Table table(Storage::dense64, 200, 3, values);
    const Kernel rbf(spec_of(KernelKind::rbf, 0.2), table.matrix);
    CHECK(!rbf.wide());
    CHECK_NEAR(rbf.centre()[1], 1e7, 1.0);
    PackedRows right(rbf, table.matrix);
    right.assign(numbers(200));
    const RowBlock left{&table.matrix, nullptr, 0, 200};
    CHECK(worst_error(rbf, table, left, table, right, engine_block(rbf, left, right)) <= 3e-6);
    // Poly cannot be centred, so it must be computed in float64.
    const Kernel poly(spec_of(KernelKind::poly, 1e-14, 1.0, 2), table.matrix);
    CHECK(poly.wide());
    CHECK(poly.centre().empty());
    PackedRows wide(poly, table.matrix);
    wide.assign(numbers(200));
    CHECK(worst_error(poly, table, left, table, wide, engine_block(poly, left, wide)) <= 3e-7);
}

TEST_CASE("kernel rebuilt from its parts gives the same values") {
    for (double gamma : {0.1, 1e6}) {
        Table table(Storage::dense32, 50, 7, normal_values(50, 7, 13));
        const Kernel kernel(spec_of(KernelKind::rbf, gamma), table.matrix);
        CHECK(kernel.wide() == (gamma > 1.0));
        const Kernel again(kernel.spec(), kernel.centre(), kernel.wide());
        PackedRows right(kernel, table.matrix), right_again(again, table.matrix);
        right.assign(numbers(50));
        right_again.assign(numbers(50));
        const RowBlock left{&table.matrix, nullptr, 0, 50};
        CHECK(engine_block(kernel, left, right) == engine_block(again, left, right_again));
    }
}

TEST_CASE("kernel diagonal equals the value of a row with itself") {
    for (Storage storage : kStorages)
        for (const KernelSpec& spec : kSpecs) {
            Table table(storage, 20, 9, normal_values(20, 9, 14, 0.3));
            const Kernel kernel(spec, table.matrix);
            for (int i = 0; i < 20; ++i)
                CHECK_NEAR(kernel.diagonal(table.matrix, i),
                           scalar_kernel(kernel, table, i, table, i),
                           1e-12 * scale_of(kernel, table, i, table, i));
        }
}

TEST_CASE("kernel precomputed reads the matrix") {
    for (Storage storage : {Storage::dense32, Storage::dense64}) {
        const int n = 530;
        Table gram(storage, n, n, normal_values(n, n, 15));
        const Kernel kernel(spec_of(KernelKind::precomputed), gram.matrix);
        const std::int32_t rows[] = {529, 0, 17};
        std::vector<std::int32_t> columns = numbers(n);
        std::reverse(columns.begin(), columns.end());
        PackedRows right(kernel, gram.matrix);
        right.assign(columns);
        const RowBlock left{&gram.matrix, rows, 0, 3};
        const std::vector<float> block = engine_block(kernel, left, right);
        std::vector<double> sums(6, 0.5);
        const std::vector<double> coefficients = normal_values(2, n, 16);
        kernel.accumulate(left, right, coefficients.data(), 2, sums.data());
        int apart = 0;
        for (int i = 0; i < 3; ++i)
            for (int m = 0; m < 2; ++m) {
                double want = 0.5;
                for (int j = 0; j < n; ++j) {
                    const float value = static_cast<float>(gram.at(rows[i], columns[j]));
                    apart += block[i * n + j] != value;
                    want += coefficients[m * n + j] * static_cast<double>(value);
                }
                CHECK_NEAR(sums[i * 2 + m], want, 1e-10);
            }
        CHECK(apart == 0);
        CHECK(kernel.diagonal(gram.matrix, 17) == gram.at(17, 17));
    }
}

TEST_CASE("kernel blocks without rows or columns") {
    Table table(Storage::dense32, 5, 3, normal_values(5, 3, 17));
    const Kernel kernel(spec_of(KernelKind::rbf, 1.0), table.matrix);
    PackedRows empty(kernel, table.matrix), right(kernel, table.matrix);
    right.assign(numbers(5));
    float value = -7.0f, *out = &value;
    double sum = -7.0;
    const double coefficients[5] = {1.0, 1.0, 1.0, 1.0, 1.0};
    kernel.compute({&table.matrix, nullptr, 0, 1}, empty, &out);
    kernel.compute({&table.matrix, nullptr, 0, 0}, right, &out);
    kernel.accumulate({&table.matrix, nullptr, 0, 1}, empty, coefficients, 1, &sum);
    kernel.accumulate({&table.matrix, nullptr, 0, 0}, right, coefficients, 1, &sum);
    CHECK((value == -7.0f && sum == -7.0));
    CHECK(kernel.values_computed() == 0);
    // Rows without columns are all the same row.
    Table bare(Storage::dense32, 5, 0, {});
    const Kernel flat(spec_of(KernelKind::rbf, 1.0), bare.matrix);
    PackedRows same(flat, bare.matrix);
    same.assign(numbers(5));
    CHECK(engine_block(flat, {&bare.matrix, nullptr, 0, 2}, same) == std::vector<float>(10, 1.0f));
}

TEST_CASE("kernel counts its values") {
    Table table(Storage::csr64, 30, 3, normal_values(30, 3, 18));
    const Kernel kernel(spec_of(KernelKind::linear), table.matrix);
    PackedRows right(kernel, table.matrix);
    right.assign(numbers(21));
    engine_block(kernel, {&table.matrix, nullptr, 0, 10}, right);
    CHECK(kernel.values_computed() == 210);
    std::vector<double> sums(4, 0.0);
    const std::vector<double> coefficients(42, 1.0);
    kernel.accumulate({&table.matrix, nullptr, 0, 2}, right, coefficients.data(), 2, sums.data());
    CHECK(kernel.values_computed() == 252);
    CHECK(kernel.nanoseconds() > 0);
}
