-- idp.bounded: what the workers of Citus add up.
SET extra_float_digits = 1;

SELECT v, idp.bounded(v::smallint, -2, 3, 0), idp.bounded(v, -2, 3, 0), idp.bounded(v::bigint, -2, 3, 10)
FROM unnest(ARRAY[-32768, -3, -2, 0, 3, 4, 32767, NULL]) v;

-- the ends of the types; what is added goes around, and comes back in the sum
SELECT idp.bounded(v, -9223372036854775808, 9223372036854775807, 0) AS same, idp.bounded(v, -9223372036854775808, -9223372036854775807, -4611686018427387904) AS counting
FROM unnest(ARRAY[-9223372036854775808, -9223372036854775807, 0, 9223372036854775807, NULL]) v;
SELECT idp.bounded(v, -2147483648, 2147483647, 0), idp.bounded(v, 3000000000, 4000000000, 0) FROM unnest(ARRAY[-2147483648, 2147483647]) v;

-- numerics in units of the last digit, rounded down: of (10,2), (18,18), (5,0)
SELECT v, idp.bounded(v, -100, 250, 0, 655366), idp.bounded(v, -1000000000000000000, 1000000000000000000, 0, 655366)
FROM unnest(ARRAY[-99999999.99, -1.01, -1, -0.005, 0, 0.01, 2.5, 2.51, 99999999.99, 'NaN', 'Infinity', '-Infinity', NULL]) v;
SELECT idp.bounded(0.123456789012345678, 0, 1000000000000000000, 0, (18 << 16) + 18 + 4), idp.bounded(-99999, -100000, 0, 7, (5 << 16) + 4);

-- wherever they are no constants
SELECT idp.bounded(3.25, 0, 1000, 0, typmod) FROM (VALUES (655366), (655367), (655366), ((5 << 16) + 4)) f (typmod);
SELECT idp.bounded(5, lower, upper, more) FROM (VALUES (0, 9, 1), (6, 9, 1), (NULL, 9, 1), (0, NULL, 1), (0, 9, NULL)) b (lower, upper, more);
SELECT idp.bounded(3.25, 0, 1000, 0, NULL);

-- types without a scale, or with more digits than a word has
SELECT idp.bounded(3.25, 0, 1000, 0, -1);
SELECT idp.bounded(3.25, 0, 1000, 0, (19 << 16) + 2 + 4);

-- four numbers and how many there are, in one sum
SELECT div(s, 4611686018427387904) AS numbers, mod(s, 4611686018427387904) - 4 * 5 AS clipped
FROM (SELECT sum(idp.bounded(v, -5, 100, 4611686018427387904 + 5)) AS s FROM unnest(ARRAY[-7, 8, NULL, 1000, 20]) v) q;
