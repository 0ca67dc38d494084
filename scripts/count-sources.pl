#!/usr/bin/perl
# What a reader of the sources has to hold in his head, in numbers: tables in Markdown, a column for each clone.
#
#   scripts/count-sources.pl [DIRECTORY…]     clones, maybe of other versions; without any, this one
#
# Nothing is compiled. The call graph is read off the text, which clang-format has laid out: a function begins at the
# margin, or two blanks from it in a class, and ends with a brace there; a name before a parenthesis is a call of the
# function of that name in the same file, or else in one that is included. A header and its source are one file.
use strict;
use warnings FATAL => 'all';
use Cwd 'abs_path';
use File::Basename;
use File::Find;

sub text_of { open(my $in, '<', $_[0]) or die "$0: cannot read $_[0]: $!\n"; local $/; return <$in> }

sub lines_of { return scalar(() = $_[0] =~ /\n/g) }

sub sources_of
{
	my ($root, $folder) = @_;
	my %text;
	find({ no_chdir => 1, wanted => sub { $text{ $File::Find::name =~ s{^\Q$root\E/}{}r } = text_of($_) if /\.(?:cpp|h)$/ } }, "$root/$folder");
	return \%text;
}

# Of a file: name and body of each, in their order.
sub functions_of
{
	my ($text) = @_;
	$text =~ s{//[^\n]*|"(?:\\.|[^"\\\n])*"}{}g;
	my @functions;
	push @functions, [ $2, $3 ]
	  while $text =~ /^(  )?(?!\s|#|\}|namespace|extern|using|(?:if|for|while|switch|return|else|do|case)\b)[^;{}()]*?([\w~]+)\((?:[^;{}]|\{\})*?\{\n(.*?)\n(?(1)  )\}/gms;
	push @functions, [ $1, $2 ] while $text =~ /^(?:  )?(?!\s|#|(?:if|for|while|switch|return)\b)[^;{}()\n]*?(\w+)\([^;{}\n]*\{ (.*) \}$/gm;
	return @functions;
}

# One statement as one would read it: from begin_statement(), each function where it is called first.
sub reading_of
{
	my ($functions, $included) = @_;
	my (%seen, %files);
	my ($climbs, $returns) = (0, 0);
	my $read;
	$read = sub {
		my ($file, $name) = @_;
		$seen{"$file $name"} = $files{$file} = 1;
		foreach my $body (@{ $functions->{$file}{$name} })
		{
			while ($body =~ /([A-Za-z_]\w*)(?:<[^<>;(){}]*>)?\(/g)
			{
				my $callee = $1;
				my ($where) = grep { $functions->{$_}{$callee} } $file, sort keys %{ $included->{$file} };
				next if !$where || $seen{"$where $callee"};
				++$climbs if $where ne $file;
				++$returns if $where ne $file && $files{$where};
				$read->($where, $callee);
			}
		}
	};
	$read->('extension/statement/statement', 'begin_statement');
	return (scalar(keys %files), $climbs, $returns);
}

sub measure
{
	my ($root) = @_;
	my (@rows, %lines);
	my ($core, $extension, $tests) = map { sources_of($root, $_) } qw(core extension tests);
	my (%functions, %included);
	foreach my $path (sort keys %$extension)
	{
		my $file = $path =~ s/\.(?:cpp|h)$//r;
		push @{ $functions{$file}{ $_->[0] } }, $_->[1] foreach functions_of($extension->{$path});
		$included{$file}{$1} = 1 while $extension->{$path} =~ /^#include "(extension\/[^"]+)\.h"/gm;
	}
	my $all = join '', values %$extension;
	my ($files, $climbs, $returns) = reading_of(\%functions, \%included);
	push @rows, [ 'one statement, read from `begin_statement` depth first: files of `extension/`', $files ], [ '… times that a function is left for its caller in another file', $climbs ], [ '… of these, files that one had left before', $returns ];

	# Assigned, but for the one that was there before.
	my %hooks = map { $_ => 1 } map { /^  (\w+_hook) = /gm } values %$extension;
	push @rows, [ 'hooks', scalar keys %hooks ];
	my $below = qr/\b(?:for_each_child|for_each_below|further_plans|plans_below|walk_plan_states|lefttree|outerPlan|outerPlanState)\b/;
	my $walkers = 0;
	foreach my $names (values %functions)
	{
		foreach my $name (keys %$names) { ++$walkers if grep { $_ =~ $below && /\b$name\b/ } @{ $names->{$name} } }
	}
	push @rows, [ 'functions that call themselves for the nodes below one of a plan', $walkers ];
	push @rows, [ 'places that copy a whole plan', scalar(() = $all =~ /copyObjectImpl\((?:query->plannedstmt|plan)\)/g) ];

	# What pg_depend has as members of the extension: a type is created twice, and indexes are parts of tables.
	my ($version) = text_of("$root/idp.control") =~ /^default_version = '(.*)'/m;
	my %objects = map { $_ => 1 } text_of("$root/extension/sql/idp--$version.sql") =~ /^CREATE ((?:FUNCTION|AGGREGATE|TYPE|TABLE|VIEW|CAST|EVENT TRIGGER)\s[^;]*?(?=;|\s+(?:RETURNS|ON|AS|WITH(?:OUT)?|LANGUAGE)\b|\s\(\n))/gm;
	push @rows, [ "SQL objects", scalar keys %objects ];

	my ($largest) = sort { lines_of($extension->{$b}) <=> lines_of($extension->{$a}) || $a cmp $b } keys %$extension;
	push @rows, [ 'the largest file of `extension/`', lines_of($extension->{$largest}) . " lines, `$largest`" ];
	push @rows, [ 'files that ask for `PG_VERSION_NUM`', scalar grep { /\bPG_VERSION_NUM\b/ } values %$extension ];
	push @rows, [ '`foreach`, `reinterpret_cast`', join ', ', scalar(() = $all =~ /\bforeach \(/g), scalar(() = $all =~ /\breinterpret_cast</g) ];
	push @rows, map { [ "C++ of `$_->[0]/`: files, lines", scalar(keys %{ $_->[1] }) . ', ' . lines_of(join '', values %{ $_->[1] }) ] }[ 'core', $core ], [ 'extension', $extension ], [ 'tests', $tests ];
	foreach my $sources ($core, $extension)
	{
		foreach my $path (keys %$sources)
		{
			my $folder = dirname($path);
			++$lines{$folder}[0];
			$lines{$folder}[1] += lines_of($sources->{$path});
		}
	}
	return (\@rows, \%lines);
}

my @roots = map { abs_path($_) // die "$0: no directory $_\n" } @ARGV ? @ARGV : dirname(__FILE__) . '/..';
my @measured = map { [ measure($_) ] } @roots;
my @names = map { my $root = $_; (text_of("$root/idp.control") =~ /^default_version = '(.*)'/m)[0] } @roots;
print join(' | ', '|', @names), " |\n", '|---' x (1 + @names), "|\n";
foreach my $i (0 .. $#{ $measured[0][0] })
{
	print join(' | ', "| $measured[0][0][$i][0]", map { $_->[0][$i][1] } @measured), " |\n";
}
print "\n", join(' | ', '| files, lines', @names), " |\n", '|---' x (1 + @names), "|\n";
my %folders = map { %{ $_->[1] } } @measured;
foreach my $folder (sort keys %folders)
{
	print join(' | ', "| `$folder/`", map { $_->[1]{$folder} ? join ', ', @{ $_->[1]{$folder} } : '' } @measured), " |\n";
}
