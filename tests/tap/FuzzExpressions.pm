# Random expressions over the columns of rows: most of them ones that are answered over hidden rows, and now
# and then one that is not. FuzzGrammar makes questions of them.
package FuzzExpressions;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
our @EXPORT_OK = qw(one_of maybe begin_statement wild grow_wild scope choose constant expression value condition one_row
	number_of_rows learn_functions of_one_function @types);

sub one_of { return $_[ int rand @_ ] }
sub maybe { my ($probability, $text) = @_; return rand() < $probability ? $text : '' }

my $wildness = 0;    # how many things that are not tame may still come
my @parameters;      # of a prepared statement: types that are given as $1, …

sub begin_statement { @parameters = @_; $wildness = one_of(0, 0, 0, 1, 1, 2); return }

# Whether something comes now that is not tame.
sub wild { my ($probability) = @_; return $wildness > 0 && rand() < $probability && $wildness-- }
sub grow_wild { $wildness = 2; return }

# --- columns ----------------------------------------------------------------------------------------------

my %columns = (
	t => 'id int, age int, salary float, city text, n num, born date, flag bool, extra text, s small, b big, r real, '
	  . 'c char, w text, ts ts, tz tz, iv iv, tm time, m mood, j json, u uuid, exact num, huge int, o circle',
	customers => 'id int, nation int, age int, name text, joined date',
	orders => 'id int, customer int, day date, price num, qty int, note text',
	items => 'id int, "order" int, quantity int, label text',
	departments => 'id int, name text, size int, rate num',
	nations => 'id int, name text, region int',
	doubled => 'id int, name text',
	known => 'id int, name text',
	ranges => 'k int, name text');

# The columns of a row under a name: a list of [expression, type].
sub scope
{
	my ($alias, $columns) = @_;
	return map { my ($name, $type) = /(\S+) (\S+)/; [ "$alias.$name", $type ] } split /, /, $columns{$columns}
	  // $columns;
}

# --- expressions ------------------------------------------------------------------------------------------

my %constants = (
	int => [ 0, 1, 5, 30, 37, 38, 99, 2147483647, -1 ], small => [ '0::int2', '7::int2', '32767::int2' ],
	big => [ '0::int8', '5::int8', '9223372036854775807' ], float => [ '0::float8', '37000::float8', '1e308',
		"'NaN'::float8", "'infinity'::float8" ], real => [ '0::float4', '1.5::float4', '3e38::float4' ],
	num => [ '0.0', '9.25', '1e20', '-1.5' ], text => [ "'Oslo'", "'Rome'", "'x'", "''", "'R%'", "'37'", "'('" ],
	char => [ "'Oslo'::bpchar" ], date => [ "date '1980-02-07'", "date '1980-01-01'", "date 'infinity'" ],
	ts => [ "timestamp '1980-01-02 03:04'", "timestamp '294276-12-31'" ], tz => [ "timestamptz '1980-01-02 03:04+00'",
		'now()' ], iv => [ "interval '1 day'", "interval '1 month -1 hour'", "interval '170000000 years'" ],
	time => [ "time '12:00'" ], bool => [ 'true', 'false', 'NULL::bool' ], mood => [ "'calm'::mood", "'glad'::mood" ],
	json => [ q('{"a": 1}'::jsonb), q('[1]'::jsonb) ], uuid => [ "'11111111-1111-1111-1111-111111111111'::uuid" ],
	circle => [ "circle '<(0,0),1>'" ]);
our @types = sort keys %constants;

# Of each type what is answered over hidden rows. {type}: an expression; [[a|b]]: one of them.
my %tame = (
	int => [
		'{int} [[+|-|*|/|%]] {int}', ('{int} / {int}') x 4, '{int} % {int}', 'length({text})', '{text}::int',
		'{float}::int', '{num}::int', '{big}::int', 'abs({int})', '- {int}', 'gcd({int}, {int})', 'lcm({int}, {int})',
		"extract([[year|dow|month]] from {date})::int", '{date} - {date}', '{small} + {int}', '{small}::int',
		'strpos({text}, {text})', 'ascii({text})', '{int} & {int}', 'width_bucket({float}, {float}, {float}, {int})' ],
	small => [ '{int}::int2', '{small} [[+|*|/]] {small}', '{text}::int2' ],
	big => [ '{big} [[+|-|*|/|%]] {big}', '{int}::int8', '{num}::int8', '{float}::int8', '{text}::int8',
		'{int} * {big}' ],
	float => [
		'{float} [[+|-|*|/|^]] {float}', '[[sqrt|cbrt|ln|log|exp|floor|ceil|abs|sin|acos|tan|degrees|round]]({float})',
		'{int}::float8', '{num}::float8', '{real}::float8', '{text}::float8', 'power({float}, {float})',
		'atan2({float}, {float})',
		"date_part([['epoch'|'hour'|'nonsense']], {ts})" ],
	real => [ '{float}::float4', '{real} [[+|*|/]] {real}', '{text}::float4' ],
	num => [
		'{num} [[+|-|*|/|%]] {num}', '{int}::numeric', '{float}::numeric', '{text}::numeric', '({num})::numeric(4,2)',
		'[[sqrt|ln|exp|floor|ceil|abs]]({num})', 'round({num}, {int})', 'trunc({num}, 2)', 'power({num}, {num})',
		'div({num}, {num})', 'log({num}, {num})', "extract([[epoch|day|hour]] from {iv})",
		"extract([[epoch|minute|year]] from {tz})", "to_number({text}, [['999D9'|{text}]])" ],
	text => [
		'{text} || {text}', '[[lower|upper|initcap|reverse|btrim]]({text})', 'substr({text}, {int}, {int})',
		'substr({text}, {int})', '[[left|right]]({text}, {int})', '{int}::text', '{num}::text', '{date}::text',
		'{bool}::text', '{uuid}::text', '{float}::text', 'split_part({text}, {text}, {int})', 'chr({int})',
		"to_char({[[ts|tz|iv|int|num|float]]}, [['YYYY-MM'|'TMMonth'|'999'|{text}]])", 'btrim({text}, {text})',
		'{char}::text', "{json} ->> 'a'", '{json} ->> {int}', 'jsonb_typeof({json})' ],
	char => [],
	date => [
		'{date} [[+|-]] {int}', '{ts}::date', '{tz}::date', '{text}::date', 'make_date({int}, {int}, {int})',
		"to_date({text}, [['YYYY-MM-DD'|{text}]])", "date_trunc([['month'|'year'|'nonsense']], {ts})::date" ],
	ts => [
		'{date}::timestamp', '{ts} [[+|-]] {iv}', '{date} [[+|-]] {iv}', '{text}::timestamp',
		"{tz} AT TIME ZONE [['UTC'|{text}]]", "date_trunc([['month'|'hour'|{text}]], {ts})", '{date} + {time}',
		"date_bin({iv}, {ts}, timestamp '1980-01-01')", 'make_timestamp({int}, {int}, {int}, {int}, {int}, {float})',
		'{tz}::timestamp' ],
	tz => [ '{ts}::timestamptz', '{date}::timestamptz', '{tz} [[+|-]] {iv}', '{text}::timestamptz',
		"{ts} AT TIME ZONE [['UTC'|{text}]]", "to_timestamp({text}, 'YYYY')", 'to_timestamp({float})' ],
	iv => [ '{iv} [[+|-]] {iv}', '{iv} [[*|/]] {float}', '{ts} - {ts}', 'age({ts}, {ts})', '{text}::interval',
		'justify_[[hours|days|interval]]({iv})', '- {iv}', '{time} - {time}' ],
	time => [ '{ts}::time', '{time} + {iv}', '{text}::time', 'make_time({int}, {int}, {float})' ],
	mood => [], circle => [], uuid => ['{text}::uuid'], json => [ "{json} -> 'a'", '{json} -> {int}' ],
	bool => [
		(map { "{$_} [[=|<|>=|<>|IS DISTINCT FROM]] {$_}" } @types, qw(int int num text date float)),
		'{bool} [[AND|OR]] {bool}', 'NOT {bool}', '{bool} IS [[TRUE|NOT FALSE|UNKNOWN]]',
		'{[[int|text|num|date|iv|float]]} IS [[NULL|NOT NULL]]', "{text} [[LIKE|ILIKE|NOT LIKE]] [['R%'|'%s_o'|'']]",
		'{int} IN ({int}, 1, 37)', '{text} IN ({text}, {text})', '{int} BETWEEN {int} AND {int}',
		'{int} = ANY (ARRAY[1, 37])', '{date} [[<|=]] {ts}', '{text}::bool', "{json} ? 'a'", 'isfinite({[[date|ts]]})',
		'{int} [[=|<]] {big}', '{int} < {float}' ]);
foreach my $type (@types)
{
	push @{ $tame{$type} }, "CASE WHEN {bool} THEN {$type} ELSE {$type} END", "coalesce({$type}, {$type})",
	  "nullif({$type}, {$type})";
	push @{ $tame{$type} }, "[[greatest|least]]({$type}, {$type})" unless $type =~ /json|bool|circle/;
}

# What is not, or was not reviewed: it fails for some values, or has effects, or reads other tables.
my %wild = (
	int => [ 'told({int})', "nextval('touched')::int", 'pg_advisory_lock({int})::text::int',
		'regexp_count({text}, {text})', '(SELECT max(s.id) FROM t s)',
		'(SELECT count(*)::int FROM t s WHERE s.age = {int})', '(SELECT dp_count(0.1)::int FROM t)' ],
	text => [
		'repeat({text}, {int})', 'lpad({text}, {int})', 'md5({text})', 'replace({text}, {text}, {text})',
		"set_config('fuzz.seen', {text}, false)", 'format({text}, {int})', 'translate({text}, {text}, {text})',
		'regexp_replace({text}, {text}, {text})', 'decode({text}, {text})::text', 'encode({text}::bytea, {text})',
		'substring({text} from {text})', '{json}::text', '{mood}::text', "to_json({text})::text",
		'concat({text}, {int})', 'current_setting({text})', '{text}::varchar(3)::text', 'quote_literal({text})' ],
	bool => [ '{text} [[~|~*|!~]] {text}', '{text} LIKE {text}', '{text} SIMILAR TO {text}', '{int} === {int}',
		'EXISTS (SELECT FROM t s WHERE s.id = {int})',
		'{int} NOT IN (SELECT s.id FROM t s GROUP BY [[CUBE (s.id)|ROLLUP (s.id)|GROUPING SETS ((s.id), ())]])',
		'{int} > (SELECT count(*) FROM t s GROUP BY ())', '{int} IN (SELECT s.id FROM [[t|v|p|departments|nations]] s)',
		'({int}, {int}) < ({int}, {int})', '{json} @> {json}', '{text}::jsonb IS NULL', 'idp.approved()',
		'CASE WHEN {bool} THEN idp.approved() ELSE {bool} END' ],
	float => [ 'random()', 'factorial({int})::float8', '{json}::float8' ],
	num => [ 'factorial({int})', '{json}::numeric', 'trim_scale({num})' ], mood => ['{text}::mood'],
	json => ['{text}::jsonb'], char => ['{text}::char(3)'], big => [ '{int}::int8 << {int}', 'nextval({text})' ],
	date => ['{text}::regtype::text::date'], iv => ['make_interval({int}, {int})']);

# The server's own functions, by the type of the result: rows of [name, argument types, type].
my %of_server;
my @one_by_one;
my $next_one = 0;
my %grammar_type = (int4 => 'int', int2 => 'small', int8 => 'big', float8 => 'float', float4 => 'real',
	numeric => 'num', text => 'text', bpchar => 'char', bool => 'bool', date => 'date', timestamp => 'ts',
	timestamptz => 'tz', interval => 'iv', time => 'time', jsonb => 'json', uuid => 'uuid', circle => 'circle');
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
	my $others = rand() < 0.6 ? $wild{$type} : $of_server{$type};
	$forms = $others if $others && wild(0.5);
	return expression($type, $scope, 0) unless @$forms;
	my $form = choose(one_of(@$forms));
	$form =~ s/\{(\w+)\}/expression($1, $scope, $depth - 1)/ge;
	return "($form)";
}

sub value { my ($type, $scope) = @_; return expression($type, $scope, one_of(0, 0, 1, 1, 2)) }
sub condition { my ($scope) = @_; return expression('bool', $scope, one_of(1, 1, 2, 2, 3)) }

# Leakproof conditions that hold, in one world or in both, for the row alone that may differ.
sub one_row
{
	my ($alias) = @_;
	return "$alias." . one_of('id = 37', 'id = 37', 'id = 37', 'age = 57', 'huge = 37', 's = 37', "extra = '37'",
		'salary = 37000', 'b = 37000');
}

# For LIMIT and OFFSET.
sub number_of_rows
{
	return one_of(0, 1, 1, 5, 1000, 1000, -1, 'NULL', '1 - 2', (grep { /^\$/ } map { constant('int') } 1 .. 4));
}
