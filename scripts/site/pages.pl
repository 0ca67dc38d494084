#!/usr/bin/perl
# What the site is made of: run from the root of the repository, see scripts/docs.sh.
#
#   pages.pl files         prints the pages that can be reached from README.md, and the other files that they link to
#   pages.pl navigation    prints the lists of docs/README.md, as mkdocs reads them
#   pages.pl anchors SITE  prints links within the site whose page has no such anchor, and fails if there are any:
#                          mkdocs finds dead links to files alone
use strict;
use warnings FATAL => 'all';
use utf8;
use open qw(:std :encoding(UTF-8));

use File::Find;
use FindBin;
use lib $FindBin::RealBin;
use Pages qw(links resolve slurp);

sub files
{
	my @todo = ('README.md', 'docs/README.md');
	my %done;
	while (defined(my $file = shift @todo))
	{
		next if $done{$file}++;
		-f $file or die "a page links to $file, which cannot be shown\n";
		push @todo, map { (resolve($file, $_))[0] } links($file) if $file =~ /\.md$/;
	}
	print "$_\n" foreach sort keys %done;
	return 0;
}

sub navigation
{
	print "nav:\n  - idp: README.md\n  - All pages: docs/README.md\n";
	foreach my $line (split /\n/, slurp('docs/README.md'))
	{
		if ($line =~ /^## (.*)/) { print qq(  - "$1":\n) }
		elsif ($line =~ /^- \[([^]]+)\]\(([^)]+\.md)\)/) { printf qq(    - "%s": %s\n), $1, (resolve('docs/README.md', $2))[0] }
	}
	return 0;
}

sub anchors
{
	my ($site) = @_;
	my (%text, $dead);
	find({ no_chdir => 1, wanted => sub { $text{ s{^\Q$site\E/}{}r } = slurp($_) if /\.html$/ } }, $site);
	my %ids = map { my $page = $_; $page => { map { $_ => 1 } $text{$page} =~ / id="([^"]*)"/g } } keys %text;
	foreach my $page (sort keys %text)
	{
		foreach my $link (grep { /#./ && !/^[a-z]+:/ } $text{$page} =~ /href="([^"]*)"/g)
		{
			my ($target, $anchor) = resolve($page, $link);
			next if $ids{$target} && $ids{$target}{$anchor};
			print "a dead link: $page: $link\n";
			$dead = 1;
		}
	}
	return $dead ? 1 : 0;
}

my ($what, @of) = @ARGV;
my %can = (files => \&files, navigation => \&navigation, anchors => \&anchors);
my $do = $can{ $what // '' } or die "usage: pages.pl files | navigation | anchors SITE\n";
exit $do->(@of);
