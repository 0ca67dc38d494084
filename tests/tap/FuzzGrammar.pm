# Random statements of an analyst who asks about hidden tables: most of them ones that are answered, and
# the others mostly with one thing in them that is not. FuzzWorlds makes the tables.
package FuzzGrammar;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
our @EXPORT_OK = qw(statement learn_functions);

sub one_of { return $_[ int rand @_ ] }
sub maybe { my ($probability, $text) = @_; return rand() < $probability ? $text : '' }

# --- columns ----------------------------------------------------------------------------------------------

my %columns = (
	t => 'id int, age int, salary float, city text, n num, born date, flag bool, extra text, s small, b big, r real, c char, w text, ts ts, tz tz, iv iv, tm time, m mood, j json, u uuid, exact num, huge int',
	customers => 'id int, nation int, age int, name text, joined date',
	orders => 'id int, customer int, day date, price num, qty int, note text',
	items => 'id int, "order" int, quantity int, label text',
	departments => 'id int, name text, size int',
	nations => 'id int, name text, region int',
	doubled => 'id int, name text');

# The columns of a row under a name: a list of [expression, type].
sub scope
{
	my ($alias, $columns) = @_;
	return map { my ($name, $type) = /(\S+) (\S+)/; [ "$alias.$name", $type ] } split /, /, $columns{$columns} // $columns;
}

# What everybody knows, and what is hidden: with the columns of t.
my @hidden = (qw(t t t t v vs part part part_1), 'all_of_t()', 'all_of_v()');
sub relation { return one_of(@hidden, @hidden, 'p') }

# --- expressions ------------------------------------------------------------------------------------------

my %constants = (
	int => [ 0, 1, 5, 30, 37, 38, 99, 2147483647, -1 ], small => [ '0::int2', '7::int2', '32767::int2' ], big => [ '0::int8', '5::int8', '9223372036854775807' ],
	float => [ '0::float8', '37000::float8', '1e308', "'NaN'::float8", "'infinity'::float8" ], real => [ '0::float4', '1.5::float4', '3e38::float4' ],
	num => [ '0.0', '9.25', '1e20', '-1.5' ], text => [ "'Oslo'", "'Rome'", "'x'", "''", "'R%'", "'37'", "'('" ], char => [ "'Oslo'::bpchar" ],
	date => [ "date '1980-02-07'", "date '1980-01-01'", "date 'infinity'" ], ts => [ "timestamp '1980-01-02 03:04'", "timestamp '294276-12-31'" ], tz => [ "timestamptz '1980-01-02 03:04+00'", 'now()' ],
	iv => [ "interval '1 day'", "interval '1 month -1 hour'", "interval '170000000 years'" ], time => [ "time '12:00'" ],
	bool => [ 'true', 'false', 'NULL::bool' ], mood => [ "'calm'::mood", "'glad'::mood" ], json => [ q('{"a": 1}'::jsonb), q('[1]'::jsonb) ], uuid => [ "'11111111-1111-1111-1111-111111111111'::uuid" ]);
my @types = sort keys %constants;

# Of each type what is answered over hidden rows. {type}: an expression; [[a|b]]: one of them.
my %tame = (
	int => [
		'{int} [[+|-|*|/|%]] {int}', '{int} / {int}', '{int} % {int}', 'length({text})', '{text}::int', '{float}::int', '{num}::int', '{big}::int', 'abs({int})', '- {int}', 'gcd({int}, {int})', 'lcm({int}, {int})',
		"extract([[year|dow|month]] from {date})::int", '{date} - {date}', '{small} + {int}', '{small}::int', 'strpos({text}, {text})', 'ascii({text})', '{int} & {int}', 'width_bucket({float}, {float}, {float}, {int})',
		'idp.total_int4div({int}, {int})', 'idp.total_int4in({text})' ],
	small => [ '{int}::int2', '{small} [[+|*|/]] {small}', '{text}::int2' ],
	big => [ '{big} [[+|-|*|/|%]] {big}', '{int}::int8', '{num}::int8', '{float}::int8', '{text}::int8', '{int} * {big}' ],
	float => [
		'{float} [[+|-|*|/|^]] {float}', '[[sqrt|cbrt|ln|log|exp|floor|ceil|abs|sin|acos|tan|degrees|round]]({float})', '{int}::float8', '{num}::float8', '{real}::float8', '{text}::float8', 'power({float}, {float})', 'atan2({float}, {float})',
		"date_part([['epoch'|'hour'|'nonsense']], {ts})", 'idp.total_dsqrt({float})' ],
	real => [ '{float}::float4', '{real} [[+|*|/]] {real}', '{text}::float4' ],
	num => [
		'{num} [[+|-|*|/|%]] {num}', '{int}::numeric', '{float}::numeric', '{text}::numeric', '({num})::numeric(4,2)', '[[sqrt|ln|exp|floor|ceil|abs]]({num})', 'round({num}, {int})', 'trunc({num}, 2)', 'power({num}, {num})', 'div({num}, {num})', 'log({num}, {num})',
		"extract([[epoch|day|hour]] from {iv})", "extract([[epoch|minute|year]] from {tz})", "to_number({text}, [['999D9'|{text}]])" ],
	text => [
		'{text} || {text}', '[[lower|upper|initcap|reverse|btrim]]({text})', 'substr({text}, {int}, {int})', 'substr({text}, {int})', '[[left|right]]({text}, {int})', '{int}::text', '{num}::text', '{date}::text', '{bool}::text', '{uuid}::text', '{float}::text', 'split_part({text}, {text}, {int})', 'chr({int})',
		"to_char({[[ts|tz|iv|int|num|float]]}, [['YYYY-MM'|'999'|{text}]])", 'btrim({text}, {text})', '{char}::text', "{json} ->> 'a'", '{json} ->> {int}', 'jsonb_typeof({json})' ],
	char => [],
	date => [
		'{date} [[+|-]] {int}', '{ts}::date', '{tz}::date', '{text}::date', 'make_date({int}, {int}, {int})', "to_date({text}, [['YYYY-MM-DD'|{text}]])", "date_trunc([['month'|'year'|'nonsense']], {ts})::date" ],
	ts => [
		'{date}::timestamp', '{ts} [[+|-]] {iv}', '{date} [[+|-]] {iv}', '{text}::timestamp', "{tz} AT TIME ZONE [['UTC'|{text}]]", "date_trunc([['month'|'hour'|{text}]], {ts})", '{date} + {time}', "date_bin({iv}, {ts}, timestamp '1980-01-01')",
		'make_timestamp({int}, {int}, {int}, {int}, {int}, {float})', '{tz}::timestamp' ],
	tz => [ '{ts}::timestamptz', '{date}::timestamptz', '{tz} [[+|-]] {iv}', '{text}::timestamptz', "{ts} AT TIME ZONE [['UTC'|{text}]]", "to_timestamp({text}, 'YYYY')", 'to_timestamp({float})' ],
	iv => [ '{iv} [[+|-]] {iv}', '{iv} [[*|/]] {float}', '{ts} - {ts}', 'age({ts}, {ts})', '{text}::interval', 'justify_[[hours|days|interval]]({iv})', '- {iv}', '{time} - {time}' ],
	time => [ '{ts}::time', '{time} + {iv}', '{text}::time', 'make_time({int}, {int}, {float})' ],
	mood => [], uuid => ['{text}::uuid'], json => [ "{json} -> 'a'", '{json} -> {int}' ],
	bool => [
		(map { "{$_} [[=|<|>=|<>|IS DISTINCT FROM]] {$_}" } @types, qw(int int num text date float)),
		'{bool} [[AND|OR]] {bool}', 'NOT {bool}', '{bool} IS [[TRUE|NOT FALSE|UNKNOWN]]', '{[[int|text|num|date|iv|float]]} IS [[NULL|NOT NULL]]', "{text} [[LIKE|ILIKE|NOT LIKE]] [['R%'|'%s_o'|'']]",
		'{int} IN ({int}, 1, 37)', '{text} IN ({text}, {text})', '{int} BETWEEN {int} AND {int}', '{int} = ANY (ARRAY[1, 37])', '{date} [[<|=]] {ts}', '{text}::bool', "{json} ? 'a'", 'isfinite({[[date|ts]]})', '{int} [[=|<]] {big}', '{int} < {float}' ]);
foreach my $type (@types)
{
	push @{ $tame{$type} }, "CASE WHEN {bool} THEN {$type} ELSE {$type} END", "coalesce({$type}, {$type})", "nullif({$type}, {$type})";
	push @{ $tame{$type} }, "[[greatest|least]]({$type}, {$type})" unless $type =~ /json|bool/;
}

# What is not, or was not reviewed: it fails for some values, or has effects, or reads other tables.
my %wild = (
	int => [ 'told({int})', "nextval('touched')::int", 'pg_advisory_lock({int})::text::int', 'regexp_count({text}, {text})', '(SELECT max(s.id) FROM t s)', '(SELECT count(*)::int FROM t s WHERE s.age = {int})', '(SELECT dp_count(0.1)::int FROM t)' ],
	text => [
		'repeat({text}, {int})', 'lpad({text}, {int})', 'md5({text})', 'replace({text}, {text}, {text})', "set_config('fuzz.seen', {text}, false)", 'format({text}, {int})', 'translate({text}, {text}, {text})', 'regexp_replace({text}, {text}, {text})', 'decode({text}, {text})::text',
		'encode({text}::bytea, {text})', 'substring({text} from {text})', '{json}::text', '{mood}::text', "to_json({text})::text", 'concat({text}, {int})', 'current_setting({text})', '{text}::varchar(3)::text', 'quote_literal({text})' ],
	bool => [ '{text} [[~|~*|!~]] {text}', '{text} LIKE {text}', '{text} SIMILAR TO {text}', '{int} === {int}', 'EXISTS (SELECT FROM t s WHERE s.id = {int})', '{int} IN (SELECT s.id FROM [[t|v|p|departments|nations]] s)', '({int}, {int}) < ({int}, {int})', '{json} @> {json}', '{text}::jsonb IS NULL' ],
	float => [ 'random()', 'factorial({int})::float8', '{json}::float8' ], num => [ 'factorial({int})', '{json}::numeric', 'trim_scale({num})' ], mood => ['{text}::mood'], json => ['{text}::jsonb'],
	char => ['{text}::char(3)'], big => [ '{int}::int8 << {int}', 'nextval({text})' ], date => ['{text}::regtype::text::date'], iv => ['make_interval({int}, {int})']);

# The server's own functions, by the type of the result: rows of [name, argument types, type].
my %of_server;
my @one_by_one;
my $next_one = 0;
my %grammar_type = (int4 => 'int', int2 => 'small', int8 => 'big', float8 => 'float', float4 => 'real', numeric => 'num', text => 'text', bpchar => 'char', bool => 'bool', date => 'date', timestamp => 'ts', timestamptz => 'tz', interval => 'iv', time => 'time', jsonb => 'json', uuid => 'uuid');
sub learn_functions
{
	my ($rows) = @_;
	foreach my $row (@$rows)
	{
		my ($name, $arguments, $result) = @$row;
		my @arguments = map { $grammar_type{$_} } split / /, $arguments;
		next if !@arguments || grep { !defined } @arguments, $grammar_type{$result};
		push @{ $of_server{ $grammar_type{$result} } }, "$name(" . join(', ', map { "{$_}" } @arguments) . ')';
	}
	@one_by_one = ((map { @{ $wild{$_} // [] } } @types) x 12, map { @{ $of_server{$_} // [] } } @types);
	return scalar map { @$_ } values %of_server;
}

# The next of all these, over columns alone.
sub of_one_function
{
	my $form = choose($one_by_one[ $next_one++ % @one_by_one ]);
	my @scope = scope('a', 't');
	$form =~ s/\{(\w+)\}/expression($1, \@scope, 0)/ge;
	return "SELECT dp_count(0.1) FROM t a WHERE ($form) IS NOT NULL";
}

my $wildness;      # how many things that are not tame may still come
my @parameters;    # of a prepared statement: types that are given as $1, …

sub constant
{
	my ($type) = @_;
	foreach my $number (1 .. @parameters) { return "\$$number" if $parameters[ $number - 1 ] eq $type && rand() < 0.7 }
	return one_of(@{ $constants{$type} });
}

# One of each [[a|b]] in a form.
sub choose
{
	my ($form) = @_;
	1 while $form =~ s/\[\[((?:(?!\[\[|\]\]).)*)\]\]/one_of(split m{\|(?!\|)}, $1)/e;
	return $form;
}

sub expression
{
	my ($type, $scope, $depth) = @_;
	if ($depth <= 0 || $type eq 'char')
	{
		my @fit = grep { $_->[1] eq $type } @$scope;
		return @fit && rand() < 0.85 ? one_of(@fit)->[0] : constant($type);
	}
	my $forms = $tame{$type};
	if ($wildness > 0 && rand() < 0.5)
	{
		my $others = rand() < 0.6 ? $wild{$type} : $of_server{$type};
		($forms, $wildness) = ($others, $wildness - 1) if $others;
	}
	return expression($type, $scope, 0) unless @$forms;
	my $form = choose(one_of(@$forms));
	$form =~ s/\{(\w+)\}/expression($1, $scope, $depth - 1)/ge;
	return "($form)";
}

sub condition { my ($scope) = @_; return expression('bool', $scope, one_of(1, 1, 2, 2, 3)) }

# --- private aggregates -----------------------------------------------------------------------------------

my @bounds = (int => '0, 100', float => '0, 90000', num => '0, 50', big => '0, 1000', date => "date '1980-01-01', date '1981-01-01'", real => '0::real, 10::real');
my %bounds = @bounds;

sub value { my ($type, $scope) = @_; return expression($type, $scope, one_of(0, 0, 1, 1, 2)) }

sub answer
{
	my ($scope) = @_;
	my $type = one_of(qw(int int float num big date));
	my $number = one_of(qw(int int float num big));
	my $text = one_of(
		sub { 'dp_count(0.1)' },
		sub { 'dp_count(0.1)' },
		sub { "dp_sum(" . maybe(0.1, 'DISTINCT ') . value($number, $scope) . ", 0.1, $bounds{$number})" },
		sub { one_of('dp_avg', 'dp_variance', 'dp_stddev', 'idp_sum', 'idp_avg') . '(' . value($number, $scope) . ", 0.1, $bounds{$number})" },
		sub { one_of('dp_median', 'dp_min', 'dp_max') . '(' . value($type, $scope) . ", 0.1, $bounds{$type})" },
		sub { 'idp_median(' . value($type, $scope) . ', 0.1)' },
		sub { one_of('idp_kth_largest', 'idp_kth_smallest') . '(' . value($type, $scope) . ', 0.1, 2)' },
		sub { 'dp_count_distinct(' . value(one_of('text', 'int', 'date', 'num'), $scope) . ', 0.1)' },
		sub { "dp_histogram(" . value($number, $scope) . ", 0.1, $bounds{$number}, 4)" },
		sub { 'dp_mode(' . value('text', $scope) . ", 0.1, ARRAY['Oslo', 'Rome'])" },
		sub { 'dp_count(0.1 ORDER BY ' . value('int', $scope) . ')' },
		sub { "dp_sum(" . value('int', $scope) . ', 0.1, 0, 100 ORDER BY ' . value(one_of('int', 'text', 'date'), $scope) . ')' })->();
	return $text . maybe(0.15, ' FILTER (WHERE ' . condition($scope) . ')');
}

# One that may be NULL for some rows and not for others only as its epsilon allows: of the idp_ aggregates
# that follows from their local sensitivity.
sub dp_answer { my ($scope) = @_; while (1) { my $answer = answer($scope); return $answer if $answer =~ /^dp_/ } }

# What is no answer.
sub native { my ($scope) = @_; return one_of('count(*)', 'count(DISTINCT ' . value('int', $scope) . ')', one_of('max', 'min', 'sum') . '(' . value('int', $scope) . ')', "string_agg(" . value('text', $scope) . ", ',')", 'idp.combine(NULL, NULL)') }

sub answers
{
	my ($scope) = @_;
	my @answers = map { answer($scope) } 1 .. one_of(1, 1, 1, 2);
	if ($wildness > 0 && rand() < 0.15) { $wildness--; $answers[0] = native($scope) }
	if (rand() < 0.08) { my $answer = dp_answer($scope); $answers[0] = one_of("$answer IS NULL", "coalesce(${answer}::text, 'none')", "CASE WHEN $answer IS NULL THEN 1 / (random() * 0)::int ELSE 1 END") }
	return join ', ', @answers;
}

# Tables that everybody knows, beside rows whose columns are known: on a unique key, unless wild.
sub public_join
{
	my ($scope) = @_;
	my ($table, $key, $type) = @{ one_of([ 'departments', 'id', 'int' ], [ 'departments', 'name', 'text' ], [ 'nations', 'id', 'int' ]) };
	if ($wildness > 0 && rand() < 0.3) { $wildness--; ($table, $key, $type) = ('doubled', 'id', 'int') }
	my @fit = grep { $_->[1] eq $type } @$scope;
	return ('', @$scope) unless @fit;
	my $mine = rand() < 0.8 ? one_of(@fit)->[0] : expression($type, $scope, 1);
	my @both = (@$scope, scope('d', $table));
	return (one_of(' JOIN ', ' LEFT JOIN ') . "$table d ON d.$key = $mine" . maybe(0.3, ' AND ' . condition(\@both)), @both);
}

sub public_condition
{
	my ($scope) = @_;
	my $table = one_of('departments', 'nations', 'doubled');
	my $mine = expression('int', $scope, one_of(0, 0, 1));
	return one_of("EXISTS (SELECT FROM $table e WHERE e.id = $mine" . maybe(0.3, ' AND e.name <> ' . value('text', $scope)) . ')', "NOT EXISTS (SELECT FROM $table e WHERE e.id = $mine)", "$mine IN (SELECT id FROM $table)", "$mine NOT IN (SELECT id FROM $table)");
}

sub where { my ($scope) = @_; return maybe(0.65, ' WHERE ' . one_of((sub { condition($scope) }) x 5, sub { public_condition($scope) })->()) }

# --- questions about a table of which each row is for itself ----------------------------------------------

sub of_rows
{
	my $relation = relation();
	my @scope = scope('a', 't');
	my $join = '';
	($join, @scope) = public_join(\@scope) if rand() < 0.2;
	my $text = "FROM $relation a$join" . where(\@scope);
	return "SELECT " . answers(\@scope) . " $text" if rand() < 0.9;
	return "SELECT " . answers(\@scope) . " FROM (SELECT a.*, " . value('int', \@scope) . " AS more $text OFFSET 0) a";
}

# Each row of a table that everybody knows, with an answer.
sub of_public_groups
{
	my ($table, $key, $hidden, $column, @columns) = @{ one_of(
		[ 'departments', 'id', relation(), one_of('age', 'id', 's'), scope('a', 't') ], [ 'departments', 'name', relation(), one_of('city', 'extra'), scope('a', 't') ],
		[ 'nations', 'id', 'customers', 'nation', scope('a', 'customers') ]) };
	my @scope = (@columns, scope('d', $table));
	my $by = one_of('d.id', 'd.name', 'd.id, d.name', 'd.name, d.size');
	$by =~ s/size/region/ if $table eq 'nations';
	($key, $wildness) = ('size', $wildness - 1) if $wildness > 0 && $table eq 'departments' && rand() < 0.2;
	($by, $wildness) = (one_of("a.$column", "d.id, a.$column", 'ROLLUP (d.id)', 'upper(d.name)'), $wildness - 1) if $wildness > 0 && rand() < 0.3;
	my $keys = $by =~ /ROLLUP/ ? 'd.id AS key1' : join ', ', map { my $n = $_; (split /, /, $by)[$n] . " AS key$n" } 0 .. ($by =~ tr/,//);
	my $answer = one_of('dp_count(0.1) FILTER (WHERE a.id IS NOT NULL)', 'dp_sum(a.age, 0.1, 0, 100)', 'dp_count_distinct(a.id, 0.1)', answer(\@columns), 'dp_avg(' . value('int', \@columns) . ', 0.1, 0, 100) FILTER (WHERE a.id IS NOT NULL)');
	my $text = one_of("FROM $table d LEFT JOIN $hidden a ON a.$column = d.$key", "FROM $hidden a RIGHT JOIN $table d ON d.$key = a.$column");
	return "SELECT $keys, $answer $text" . maybe(0.4, ' AND ' . condition(\@columns)) . maybe(0.1, ' WHERE ' . condition(one_of(\@scope, [ scope('d', $table) ]))) . " GROUP BY $by" . maybe(0.06, " HAVING " . one_of(dp_answer(\@columns) . ' IS NULL', 'min(d.id) > 20', 'count(*) > 0', 'max(a.id) > 3')) . maybe(0.3, ' ORDER BY 1');
}

# Groups of columns with domains.
sub of_domains
{
	my ($table, @columns) = @{ one_of([ 't', 'city', 'id', 'flag' ], [ 'part', 'age', 'flag' ], [ 'customers', 'nation' ]) };
	my @scope = scope('a', $table eq 'customers' ? $table : 't');
	my @keys = map { [ "a.$_", /city/ ? 'text' : /flag/ ? 'bool' : 'int' ] } @columns;
	my @by = map { rand() < 0.6 ? one_of(@keys)->[0] : value(one_of('int', 'text', 'bool'), \@keys) } 1 .. one_of(1, 1, 2);
	($by[0], $wildness) = (value(one_of('int', 'text', 'bool'), \@scope), $wildness - 1) if $wildness > 0 && rand() < 0.3;
	my $by = join ', ', @by;
	return 'SELECT ' . join(', ', map { "$by[$_] AS key$_" } 0 .. $#by) . ', ' . answers(\@scope) . " FROM $table a" . where(\@scope) . ' GROUP BY ' . one_of($by, $by, $by, "ROLLUP ($by)", "CUBE ($by)") . maybe(0.1, ' HAVING ' . condition(\@keys)) . maybe(0.2, ' ORDER BY 1');
}

# Groups that are decided about.
sub of_kept_groups
{
	my ($rows, @scope) = rand() < 0.7 ? (relation(), scope('a', 't')) : unit_rows();
	my $keep = "dp_keep_group(0.1, 0.000000001)";
	my $by = one_of((map { $_->[0] } @scope), value(one_of(@types), \@scope), 'GROUPING SETS ((' . one_of(@scope)->[0] . '), (' . one_of(@scope)->[0] . '))', 'ROLLUP (' . one_of(@scope)->[0] . ')');
	my $key = $by =~ /^(GROUPING|ROLLUP)/ ? '1' : $by;
	my $having = maybe(0.85, " HAVING $keep" . maybe(0.3, ' AND ' . one_of("$keep", dp_answer(\@scope) . ' IS NOT NULL', 'count(*) > 1', condition([ [ $key, 'int' ] ]))));
	return "SELECT " . one_of($key, $key, answers(\@scope), "$key, " . answers(\@scope), "$key, $keep") . " FROM $rows a" . where(\@scope) . " GROUP BY $by$having";
}

# --- questions about persons with many rows ---------------------------------------------------------------

my @of_group = (
	[ 'count(*)', 'big' ], [ 'count({text})', 'big' ], [ 'count(DISTINCT {int})', 'big' ], [ 'sum({int})', 'big' ], [ 'max({num})', 'num' ], [ 'min({date})', 'date' ], [ 'max({text})', 'text' ], [ 'avg({int})', 'num' ], [ 'bool_or({bool})', 'bool' ], [ 'every({bool})', 'bool' ],
	[ 'sum(({num})::numeric(12,2))', 'num' ], [ 'bit_and({int})', 'int' ], [ 'max({int} ORDER BY {int})', 'int' ], [ 'stddev({int})', 'num' ]);
my @of_group_wild = ([ 'sum({num})', 'num' ], [ "string_agg({text}, ',')", 'text' ], [ '(array_agg({int}))[1]', 'int' ], [ 'sum({float})', 'float' ], [ 'percentile_disc(0.5) WITHIN GROUP (ORDER BY {int})', 'int' ], [ 'variance({num})', 'num' ]);

sub of_group
{
	my ($scope) = @_;
	my @pool = @of_group;
	if ($wildness > 0 && rand() < 0.2) { $wildness--; @pool = @of_group_wild }
	my ($form, $type) = @{ one_of(@pool) };
	$form =~ s/\{(\w+)\}/value($1, $scope)/ge;
	return ($form . maybe(0.15, ' FILTER (WHERE ' . condition($scope) . ')'), $type);
}

# The rows of orders, with those of other tables of the person, and of what everybody knows.
sub all_rows
{
	my @scope = scope('o', 'orders');
	my $from = 'orders o';
	if (rand() < 0.25) { $from .= ' JOIN items i ON i."order" = o.id'; push @scope, scope('i', 'items') }
	if (rand() < 0.2) { $from .= one_of(' JOIN ', ' LEFT JOIN ') . 'customers p ON p.id = o.customer'; push @scope, scope('p', 'customers') }
	if (rand() < 0.15) { my $join; ($join, @scope) = public_join(\@scope); $from .= $join }
	return ($from . where(\@scope), @scope);
}

sub grouped
{
	my ($from, @scope) = all_rows();
	my ($one, $first) = of_group(\@scope);
	my ($two, $second) = of_group(\@scope);
	my $having = maybe(0.35, ' HAVING ' . one_of('count(*) > 2', "$one IS NOT NULL", expression('bool', [ [ $one, $first ], [ $two, $second ] ], 1)));
	my ($by, $wilder) = ('o.customer', '');
	($by, $wildness) = (one_of('o.customer / 2', 'o.qty', 'o.customer, o.qty'), $wildness - 1) if $wildness > 0 && rand() < 0.15;
	return ("(SELECT " . ($by =~ /,/ ? 'o.customer' : $by) . " AS id, $one AS x, $two AS y FROM $from GROUP BY $by$having)", scope('a', "id int, x $first, y $second"));
}

sub unit_rows
{
	my $order = one_of('day, id', 'day DESC, id', 'qty, id DESC', 'id', expression('int', [ scope('z', 'orders') ], 1) . ', id');
	$order =~ s/\bz\.//g;
	($order, $wildness) = ('day', $wildness - 1) if $wildness > 0 && rand() < 0.2;
	my $window = "OVER (PARTITION BY customer ORDER BY $order)";
	my @orders = scope('a', 'orders');
	return one_of(
		(sub { ('customers', scope('a', 'customers')) }) x 2,
		(\&grouped) x 4,
		sub { my ($x, $type) = of_group([ scope('o', 'orders') ]); ("(SELECT c.id, c.age, $x AS x FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id" . maybe(0.3, ', c.name') . ')', scope('a', "id int, age int, x $type")) },
		sub { ("(SELECT DISTINCT ON (customer) * FROM orders z" . where([ scope('z', 'orders') ]) . " ORDER BY customer, $order)", @orders) },
		(sub { ("(SELECT * FROM (SELECT *, " . one_of("row_number() $window AS r", "row_number() $window AS r, lag(qty) $window AS before", "row_number() $window AS r, sum(qty) $window AS before") . " FROM orders) z WHERE r <= " . one_of(1, 2, 2, 3) . ')', @orders, [ 'a.r', 'big' ]) }) x 2,
		sub { ("(SELECT customer AS id, day AS x FROM (SELECT *, dense_rank() OVER (PARTITION BY customer ORDER BY day) AS r FROM orders) z WHERE r <= 2 GROUP BY customer, day)", scope('a', 'id int, x date')) },
		sub { ("(SELECT id, age AS x FROM customers UNION ALL SELECT customer, max(qty) FROM orders GROUP BY customer)", scope('a', 'id int, x int')) },
		sub { ("(SELECT c.id, c.age AS x, g.y FROM customers c " . one_of('', 'LEFT ') . "JOIN (SELECT customer, count(*) AS y FROM orders GROUP BY customer) g ON g.customer = c.id)", scope('a', 'id int, x int, y big')) },
		sub { ("(SELECT * FROM customers c WHERE " . one_of('', 'NOT ') . 'EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND ' . condition([ scope('o', 'orders') ]) . '))', scope('a', 'customers')) },
		sub { ("(SELECT customer AS id, qty AS x FROM orders)", scope('a', 'id int, x int')) })->();
}

sub of_units
{
	my ($rows, @scope) = unit_rows();
	my $join = '';
	($join, @scope) = public_join(\@scope) if rand() < 0.15;
	return 'SELECT ' . answers(\@scope) . " FROM $rows a$join" . where(\@scope);
}

# --- anything, little of which is answered ----------------------------------------------------------------

sub of_anything
{
	my ($depth) = @_;
	$wildness = 2;
	my @scope = scope('a', 't');
	my $from = relation() . ' a';
	my $aggregate = sub { return rand() < 0.7 ? dp_answer(\@scope) : native(\@scope) };
	$from = "(SELECT a.* FROM $from" . maybe(0.5, one_of(' ORDER BY age', ' LIMIT 5', ' OFFSET 1', ' WHERE random() < 2')) . ') a' if rand() < 0.15;
	my $other = relation();
	$from .= one_of(" JOIN $other b ON b.id = a.id", " LEFT JOIN $other b ON b.age = a.age", " FULL JOIN $other b USING (id)", " CROSS JOIN LATERAL (SELECT * FROM $other b WHERE b.id = a.id) b", " LEFT JOIN LATERAL (SELECT * FROM $other b WHERE b.age > a.age LIMIT 1) b ON true", " NATURAL JOIN $other b") if rand() < 0.15;
	$from .= one_of(', generate_series(1, a.age) g', ', (VALUES (1), (2)) g', ', LATERAL (SELECT ' . answer([ scope('c', 't') ]) . ' FROM ' . relation() . ' c WHERE c.id = a.id) l', ', departments d', ', customers c') if rand() < 0.1;
	$from .= ' TABLESAMPLE BERNOULLI (100)' if $from =~ /^[tp] a$/ && rand() < 0.05;
	my $where = where(\@scope);
	my $select = rand() < 0.6 ? join ', ', map { $aggregate->() } 1 .. one_of(1, 1, 2) : one_of('a.*', value(one_of(@types), \@scope), '1', 'a.ctid', 'count(*) OVER ()', 'DISTINCT a.age', 'a.tableoid::regclass', 'a::text', 'generate_series(1, 2)');
	$select .= ', (SELECT ' . $aggregate->() . ' FROM ' . relation() . ' a' . maybe(0.3, ' WHERE a.id = 3') . ')' if rand() < 0.1;
	my $group = maybe(0.25, ' GROUP BY ' . one_of('a.age', 'a.city', 'a.m', 'ROLLUP (a.flag)', '()', condition(\@scope)));
	my $rest = maybe(0.05, ' HAVING ' . $aggregate->() . ' IS NULL') . maybe(0.1, ' ORDER BY 1') . maybe(0.1, ' LIMIT ' . one_of(0, 0, 1, '(SELECT count(*) FROM t)')) . maybe(0.05, ' OFFSET ' . one_of(0, '(SELECT max(id) FROM t)')) . maybe(0.03, ' FOR UPDATE');
	my $text = "SELECT $select FROM $from$where$group$rest";
	return one_of("($text) UNION ALL ($text)", "($text) EXCEPT ($text)", "(SELECT dp_count(0.1) FROM t) UNION (SELECT count(*) FROM $from)") if rand() < 0.07;
	return "WITH c AS " . maybe(0.5, 'MATERIALIZED ') . '(' . query($depth - 1) . ") SELECT * FROM c" . maybe(0.3, ' LIMIT 0') if $depth > 0 && rand() < 0.08;
	return $text;
}

# What is made of answers is free.
sub of_answers
{
	return one_of(
		sub { 'SELECT * FROM (' . query(0) . ') x, departments d WHERE d.id < 18' },
		sub { my ($one, $other) = (of_rows(), of_units()); "SELECT x::text FROM ($one) x UNION ALL SELECT x::text FROM ($other) x" },
		sub { 'WITH x AS ' . maybe(0.5, 'MATERIALIZED ') . '(' . query(0) . ') SELECT * FROM x UNION ALL SELECT * FROM x' },
		sub { 'SELECT d.id AS key0, (SELECT x::text FROM (' . of_rows() . ') x) FROM departments d WHERE d.id < 18' },
		sub { 'SELECT x.* FROM departments d LEFT JOIN LATERAL (' . of_units() . ') x ON true WHERE d.id = 17' },
		sub { 'SELECT * FROM (' . query(0) . ') x LIMIT ' . one_of(0, 1) },
		sub { 'SELECT 1 WHERE EXISTS (' . query(0) . ')' })->();
}

sub query
{
	my ($depth) = @_;
	my $choice = rand();
	return of_rows() if $choice < 0.34;
	return of_units() if $choice < 0.62;
	return of_public_groups() if $choice < 0.72;
	return of_kept_groups() if $choice < 0.75;
	return of_domains() if $choice < 0.79;
	return of_answers() if $choice < 0.83 && $depth > 0;
	return of_anything($depth);
}

# --- statements -------------------------------------------------------------------------------------------

my @settings = map { "enable_$_" } qw(seqscan indexscan indexonlyscan bitmapscan hashjoin mergejoin nestloop hashagg sort material memoize incremental_sort);
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2';

sub explained
{
	my ($query, $major) = @_;
	my @options = grep { rand() < 0.3 } 'VERBOSE', 'COSTS OFF', 'SETTINGS', 'FORMAT ' . one_of('JSON', 'YAML', 'XML'), 'SUMMARY OFF';
	push @options, 'ANALYZE', 'TIMING OFF', 'SUMMARY OFF' if rand() < 0.1;
	my %once = map { $_ => 1 } @options;
	return 'EXPLAIN ' . (@options ? '(' . join(', ', sort keys %once) . ') ' : '') . $query;
}

# Changes, and looks at what the server keeps of rows.
sub other
{
	my @scope = scope('t', 't');
	return one_of(
		'COPY t TO STDOUT', 'UPDATE t SET age = 1 WHERE ' . condition(\@scope), 'DELETE FROM t WHERE ' . condition(\@scope), 'INSERT INTO t SELECT * FROM ' . relation(), 'TABLE customers', 'SELECT count(*) FROM ONLY orders',
		'INSERT INTO t (id) VALUES (' . one_of(1, 37, 1000) . ')' . one_of('', ' RETURNING id', ' ON CONFLICT DO NOTHING'), "SELECT query_to_xml(\$q\$" . query(0) . "\$q\$, true, true, '')", "SELECT * FROM pg_stats WHERE tablename IN ('t', 'orders', 'part_1')", 'SELECT idp.approved()',
		'SELECT * FROM idp.budget', "SELECT lo_get(loid) FROM pg_largeobject_metadata m (loid)", 'BEGIN; LOCK TABLE t', 'ANALYZE t', "SELECT nextval('touched')", 'BEGIN ISOLATION LEVEL SERIALIZABLE; ' . query(0), 'SELECT a FROM t a', 'MERGE INTO t USING departments d ON d.id = t.id WHEN MATCHED THEN DO NOTHING');
}

# A record: sql; parameters (of the extended protocol, or none); portal (how many rows at once); cleanup,
# whether it leaves something behind.
sub statement
{
	my ($major) = @_;
	$wildness = one_of(0, 0, 0, 1, 1, 2);
	@parameters = ();
	my $choice = rand();
	if ($choice < 0.04)
	{
		@parameters = ('int', 'text');
		return { sql => query(1), parameters => [ one_of(0, 1, 37), one_of('Oslo', '(') ], portal => one_of(0, 0, 1) };
	}
	if ($choice < 0.07)
	{
		@parameters = ('int', 'text');
		my $mode = one_of('auto', 'force_generic_plan', 'force_custom_plan');
		my $query = query(1);
		my $execute = one_of("EXECUTE s (37, 'Oslo')", "EXPLAIN EXECUTE s (37, 'Oslo')", "EXECUTE s (0, '('); EXECUTE s (1, '')");
		return { sql => "SET plan_cache_mode = $mode; PREPARE s (int, text) AS $query; $execute", cleanup => 1 };
	}
	if ($choice < 0.075 && $major >= 16)
	{
		@parameters = ('int', 'text');
		return { sql => 'EXPLAIN (GENERIC_PLAN) ' . query(0) };
	}
	return { sql => of_one_function(), plain => 1 } if $choice < 0.35;
	my $query = query(1);
	return { sql => $query, plain => 1 } if $choice < 0.62;
	return { sql => explained($query, $major) } if $choice < 0.72;
	return { sql => join('; ', map { "SET $_ = off" } map { one_of(@settings) } 1 .. one_of(1, 2, 3)) . "; " . one_of($query, $query, explained($query, $major)), cleanup => 1 } if $choice < 0.86;
	return { sql => "$parallel; " . one_of($query, explained($query, $major)), cleanup => 1 } if $choice < 0.88;
	return { sql => other(), cleanup => 1 } if $choice < 0.92;
	return {
		sql => one_of(
			"COPY ($query) TO STDOUT", "CREATE TEMP TABLE made AS $query; SELECT * FROM made", "BEGIN; DECLARE k CURSOR FOR $query; FETCH k; MOVE ALL k", "BEGIN; DECLARE k SCROLL CURSOR WITH HOLD FOR $query; COMMIT; FETCH ALL k",
			"DO \$do\$ BEGIN PERFORM * FROM ($query) x; END \$do\$", "DO \$do\$ DECLARE x record; BEGIN FOR x IN $query LOOP RAISE NOTICE 'row'; END LOOP; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '% %', SQLSTATE, SQLERRM; END \$do\$",
			"BEGIN; SAVEPOINT s; $query; ROLLBACK TO s; $query", "CREATE TEMP VIEW made AS $query; SELECT * FROM made"),
		cleanup => 1 };
}

1;
